// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How traffic lies in memory. A matrix file may spend two bytes on a pair of ranks, so a pair may not take many more
/// bytes here. Therefore the source follows from the row, the destination takes as many bytes as the ranks need, and an
/// amount that occurs again and again is kept once.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <utility>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/traffic/packed_column.hpp>

namespace topowise {

/// What one rank sent to another in all.
struct TrafficEntry {
  Rank source;                 ///< sent them
  Rank destination;            ///< may be the source
  Bytes bytes;                 ///< of all messages together
  std::uint64_t messages = 0;  ///< 0 if they were not counted

  friend bool operator==(const TrafficEntry&, const TrafficEntry&) = default;
};

/// Entries in the order of (source, destination), one a pair. Grows only at its end.
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
