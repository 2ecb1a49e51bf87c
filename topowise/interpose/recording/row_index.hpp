// SPDX-License-Identifier: BSD-3-Clause
// Key -> row of the profile file, for one thread. Open addressing with linear probing: a message finds its row in a few
// nanoseconds, and the memory follows the number of partners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace topowise::interpose {

/// What distinguishes rows of one kind, packed into two words.
struct RowKey {
  std::uint64_t high;
  std::uint64_t low;
  friend bool operator==(const RowKey&, const RowKey&) = default;
};

template <class Row>
class RowIndex {
 public:
  /// Where the row of `key` is noted, or null if the key is new. The noted pointer may itself be null: "has no row, do
  /// not ask again".
  [[nodiscard]] Row* const* find(RowKey key) const noexcept {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = home(key);; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.key == key) return &slot.row;
      if (slot.key == kFree) return nullptr;
    }
  }

  /// `key` must be new. Throws std::bad_alloc and is then unchanged.
  void insert(RowKey key, Row* row) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    put(key, row);
    ++size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr RowKey kFree{~std::uint64_t{0}, ~std::uint64_t{0}};
  struct Slot {
    RowKey key = kFree;
    Row* row = nullptr;
  };

  /// Multiplicative hashing (Knuth, TAOCP 3, 6.4): the upper bits of the product are the well-mixed ones.
  [[nodiscard]] std::size_t home(RowKey key) const noexcept {
    const std::uint64_t mixed = (key.low ^ (key.high * 0xff51afd7ed558ccdULL)) * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(mixed >> shift_);
  }
  void put(RowKey key, Row* row) noexcept {
    std::size_t at = home(key);
    while (!(slots_[at].key == kFree)) at = (at + 1) & mask_;
    slots_[at] = {key, row};
  }
  void grow() {
    const std::size_t capacity = slots_.empty() ? 16 : slots_.size() * 2;
    std::vector<Slot> old(capacity);
    old.swap(slots_);
    mask_ = capacity - 1;
    shift_ = 64;
    for (std::size_t n = capacity; n > 1; n /= 2) --shift_;
    for (const Slot& slot : old)
      if (!(slot.key == kFree)) put(slot.key, slot.row);
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  std::size_t mask_ = 0;
  int shift_ = 64;
};

}  // namespace topowise::interpose
