// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How traffic lies in memory. A matrix file may spend two bytes on a pair of ranks, so a pair may not take many more
/// bytes here. Therefore the source follows from the row, the destination takes as many bytes as the ranks need, and an
/// amount that occurs again and again is kept once.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <ranges>
#include <utility>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/base/units.hpp>

namespace topowise {

/// A long list of whole numbers that takes as few bytes for each as its largest one needs. Grows at its end, block by
/// block, so growing never takes a second copy of the whole.
class PackedColumn {
 public:
  void push_back(std::uint64_t number) {
    if (number > largest_of(width_)) [[unlikely]]
      widen(number);
    if (size_ % kBlock == 0) begin_block();
    Block& block = blocks_.back();
    block.resize(block.size() + width_);
    store(block.data() + block.size() - width_, number, width_);
    ++size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] std::uint64_t operator[](std::size_t i) const {
    return load(blocks_[i / kBlock].data() + (i % kBlock) * width_, width_);
  }

  /// Gives back the memory of the numbers before `i`, which are not asked for again.
  void forget_before(std::size_t i) {
    for (; forgotten_ < std::min(i, size_) / kBlock; ++forgotten_) blocks_[forgotten_] = Block();
  }

 private:
  using Block = std::vector<unsigned char>;
  static constexpr std::size_t kBlock = std::size_t{1} << 14;

  static constexpr std::uint64_t largest_of(unsigned width) {
    return width >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * width) - 1;
  }

  static std::uint64_t load(const unsigned char* at, unsigned width) {
    const auto as = [at]<class Number>(Number number) {
      std::memcpy(&number, at, sizeof(number));
      return static_cast<std::uint64_t>(number);
    };
    switch (width) {
      case 1:
        return *at;
      case 2:
        return as(std::uint16_t{0});
      case 3:
        return std::uint64_t{at[0]} | std::uint64_t{at[1]} << 8 | std::uint64_t{at[2]} << 16;
      case 4:
        return as(std::uint32_t{0});
      default:
        return as(std::uint64_t{0});
    }
  }

  static void store(unsigned char* at, std::uint64_t number, unsigned width) {
    const auto as = [at]<class Number>(Number narrow) { std::memcpy(at, &narrow, sizeof(narrow)); };
    switch (width) {
      case 1:
        *at = static_cast<unsigned char>(number);
        break;
      case 2:
        as(static_cast<std::uint16_t>(number));
        break;
      case 3:
        for (unsigned byte = 0; byte < 3; ++byte) at[byte] = static_cast<unsigned char>(number >> 8 * byte);
        break;
      case 4:
        as(static_cast<std::uint32_t>(number));
        break;
      default:
        as(number);
    }
  }

  void begin_block() {
    blocks_.emplace_back();
    if (blocks_.size() > 1) blocks_.back().reserve(kBlock * width_);
  }

  void widen(std::uint64_t number) {
    unsigned width = width_;
    while (number > largest_of(width)) width = width < 4 ? width + 1 : 8;
    for (Block& block : blocks_) {
      Block wide;
      wide.reserve(blocks_.size() > 1 && !block.empty() ? kBlock * width : 0);
      wide.resize(block.size() / width_ * width);
      for (std::size_t i = 0; i < block.size() / width_; ++i)
        store(wide.data() + i * width, load(block.data() + i * width_, width_), width);
      block = std::move(wide);
    }
    width_ = width;
  }

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
  std::size_t forgotten_ = 0;  ///< number of blocks given back, from the first
  unsigned width_ = 1;         ///< bytes of a number: 1 to 4, or 8
};

/// What one rank sent to another in all.
struct TrafficEntry {
  Rank source;                 ///< sent them
  Rank destination;            ///< may be the source
  Bytes bytes;                 ///< of all messages together
  std::uint64_t messages = 0;  ///< 0 if they were not counted

  friend bool operator==(const TrafficEntry&, const TrafficEntry&) = default;
};

/// Entries in the order of (source, destination), one per pair. Grows only at its end.
class PackedTraffic {
 public:
  /// Appends an entry, which must come after all others in that order.
  void append(const TrafficEntry& entry);
  /// Ends appending: gives every rank a row, and frees what only appending needs. `ranks` is more than any source.
  void finish(std::size_t ranks);

  [[nodiscard]] std::size_t size() const { return destinations_.size(); }
  /// Entries of source r: [first()[r], first()[r + 1]). Only whole after finish().
  [[nodiscard]] const std::vector<std::size_t>& first() const { return first_; }
  [[nodiscard]] Rank destination(std::size_t i) const { return Rank(static_cast<std::uint32_t>(destinations_[i])); }
  [[nodiscard]] Bytes bytes(std::size_t i) const { return Bytes(std::bit_cast<double>(bytes_[amount(i)])); }
  [[nodiscard]] std::uint64_t messages(std::size_t i) const { return messages_[amount(i)]; }
  /// Frees the memory of the destinations, and of most amounts, before `i`. They must not be asked for again.
  void forget_before(std::size_t i);

 private:
  [[nodiscard]] std::size_t amount(std::size_t i) const { return shared_ ? static_cast<std::size_t>(amounts_[i]) : i; }
  [[nodiscard]] std::size_t share(std::uint64_t bytes, std::uint64_t messages);
  [[nodiscard]] std::size_t slot_of(std::uint64_t bytes, std::uint64_t messages) const;
  void grow_slots();
  void stop_sharing();

  std::vector<std::size_t> first_;
  PackedColumn destinations_;
  bool shared_ = true;                ///< entries have an index of their amount; else each has an amount of its own
  PackedColumn amounts_;              ///< if shared: by entry, the index of its amount
  PackedColumn bytes_;                ///< by amount: its bytes, as the bits of the number
  PackedColumn messages_;             ///< by amount: its messages
  std::vector<std::uint32_t> slots_;  ///< hash table of the amounts: 0, or 1 + index
};

/// Some entries of a traffic; each entry is made when it is looked at. Valid as long as the traffic.
class TrafficEntries : public std::ranges::view_base {
 public:
  class Iterator {
   public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using value_type = TrafficEntry;
    using difference_type = std::ptrdiff_t;
    using reference = TrafficEntry;
    /// What `->` leads to.
    struct Arrow {
      TrafficEntry entry;
      const TrafficEntry* operator->() const { return &entry; }
    };
    using pointer = Arrow;

    Iterator() = default;
    Iterator(const PackedTraffic* packed, std::size_t position) : packed_(packed), position_(position) {
      find_source();
    }

    TrafficEntry operator*() const {
      return {Rank(source_), packed_->destination(position_), packed_->bytes(position_), packed_->messages(position_)};
    }
    Arrow operator->() const { return {**this}; }
    TrafficEntry operator[](difference_type n) const { return *(*this + n); }

    Iterator& operator++() {
      ++position_;
      const std::vector<std::size_t>& first = packed_->first();
      while (source_ + 2 < first.size() && position_ >= first[source_ + 1]) ++source_;
      return *this;
    }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    Iterator& operator+=(difference_type n) {
      position_ = static_cast<std::size_t>(static_cast<difference_type>(position_) + n);
      find_source();
      return *this;
    }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    friend Iterator operator+(Iterator at, difference_type n) { return at += n; }
    friend Iterator operator+(difference_type n, Iterator at) { return at += n; }
    friend Iterator operator-(Iterator at, difference_type n) { return at -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return static_cast<difference_type>(a.position_) - static_cast<difference_type>(b.position_);
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.position_ == b.position_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.position_ <=> b.position_; }

   private:
    void find_source();

    const PackedTraffic* packed_ = nullptr;
    std::size_t position_ = 0;
    std::size_t source_ = 0;  ///< the row that the position is in
  };

  TrafficEntries() = default;
  /// Entries `begin` to `end` - 1.
  TrafficEntries(const PackedTraffic& packed, std::size_t begin, std::size_t end)
      : begin_(&packed, begin), end_(&packed, end) {}

  /// An iterator of random access, which gives entries by value.
  [[nodiscard]] Iterator begin() const { return begin_; }
  /// The position behind the last entry.
  [[nodiscard]] Iterator end() const { return end_; }
  /// Number of pairs, not of messages.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  /// True if there is no pair at all.
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// `i` counts from the first of these entries.
  [[nodiscard]] TrafficEntry operator[](std::size_t i) const { return *(begin_ + static_cast<std::ptrdiff_t>(i)); }

 private:
  Iterator begin_;
  Iterator end_;
};

}  // namespace topowise

/// @cond Doxygen would take the specialisation for a symbol that nothing declares.
template <>
inline constexpr bool std::ranges::enable_borrowed_range<topowise::TrafficEntries> = true;
/// @endcond
