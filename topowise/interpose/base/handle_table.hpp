// SPDX-License-Identifier: BSD-3-Clause
// Handle -> what is known of its object, for all threads. MPI programs name a communicator and a datatype in every
// call, and some have hundreds of them: a look-up takes no lock and a few nanoseconds, however many there are.
//
// Open addressing with linear probing, at most half full. One thread changes the table at a time; others may look
// something up meanwhile. They never look up what is being changed: a handle that one thread frees while another uses
// it is an error of the program, and who uses a recycled handle has synchronised with the thread that recycled it.
// So a slot's value is written before its name, and that is all the order that is needed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

namespace topowise::interpose {

/// All members are constant-initialised and nothing is ever destroyed: threads may outlive the program's static
/// objects, and MPI may be called before they are made.
template <class Value>
class HandleTable {
 public:
  using Name = std::uint64_t;  ///< the two greatest numbers are no names

  /// Null if it is not there. What is pointed to stays as it is until the name is erased or inserted again.
  [[nodiscard]] const Value* find(Name name) const noexcept {
    const Slots* slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr) return nullptr;
    for (std::size_t at = slots->home(name);; at = (at + 1) & slots->mask) {
      const Slot& slot = slots->first[at];
      const Name found = slot.name.load(std::memory_order_acquire);
      if (found == name) [[likely]]
        return &slot.value;
      if (found == kFree) return nullptr;
    }
  }

  // Called under a lock of the owner.

  /// Inserts a name, or changes the value of a name that is there. Throws std::bad_alloc and is then unchanged.
  void insert(Name name, const Value& value) {
    Slots* slots = slots_.load(std::memory_order_relaxed);
    if (slots == nullptr || (used_ + 1) * 2 > slots->mask + 1) slots = grow(slots);
    put(*slots, name, value);
  }

  void erase(Name name) noexcept {
    Slots* slots = slots_.load(std::memory_order_relaxed);
    if (slots == nullptr) return;
    std::size_t at = slots->home(name);
    while (slots->name_at(at) != name) {
      if (slots->name_at(at) == kFree) return;
      at = (at + 1) & slots->mask;
    }
    slots->first[at].name.store(kErased, std::memory_order_release);
    if (slots->name_at((at + 1) & slots->mask) != kFree) return;  // what is behind is found by way of this slot
    for (; slots->name_at(at) == kErased; at = (at - 1) & slots->mask) {
      slots->first[at].name.store(kFree, std::memory_order_release);
      --used_;
    }
  }

  void clear() noexcept {
    Slots* slots = slots_.load(std::memory_order_relaxed);
    for (std::size_t at = 0; slots != nullptr && at <= slots->mask; ++at)
      slots->first[at].name.store(kFree, std::memory_order_release);
    used_ = 0;
  }

 private:
  static_assert(std::is_trivially_copyable_v<Value>);
  static constexpr Name kFree = ~Name{0};
  static constexpr Name kErased = ~Name{0} - 1;

  struct Slot {
    std::atomic<Name> name{kFree};
    Value value{};
  };
  struct Slots {
    int shift;
    std::size_t mask;
    Slot* first;
    const Slots* smaller;  ///< a thread may still be reading it; all of them together are smaller than this one

    /// Multiplicative hashing (Knuth, TAOCP 3, 6.4): the upper bits of the product are the well-mixed ones.
    [[nodiscard]] std::size_t home(Name name) const noexcept { return (name * 0x9e3779b97f4a7c15ULL) >> shift; }
    [[nodiscard]] Name name_at(std::size_t at) const noexcept { return first[at].name.load(std::memory_order_relaxed); }
  };

  void put(Slots& slots, Name name, const Value& value) noexcept {
    std::optional<std::size_t> vacant;
    std::size_t at = slots.home(name);
    while (slots.name_at(at) != name && slots.name_at(at) != kFree) {
      if (!vacant && slots.name_at(at) == kErased) vacant = at;
      at = (at + 1) & slots.mask;
    }
    if (slots.name_at(at) == kFree) {
      if (vacant)
        at = *vacant;
      else
        ++used_;
    }
    slots.first[at].value = value;
    slots.first[at].name.store(name, std::memory_order_release);
  }

  Slots* grow(const Slots* old) {
    constexpr int kFirstShift = 64 - 6;
    const int shift = old == nullptr ? kFirstShift : old->shift - 1;
    const std::size_t capacity = std::size_t{1} << (64 - shift);
    auto first = std::make_unique<Slot[]>(capacity);
    auto* larger = new Slots{shift, capacity - 1, first.get(), old};
    (void)first.release();  // never freed, like the table
    used_ = 0;
    for (std::size_t at = 0; old != nullptr && at <= old->mask; ++at) {
      const Slot& slot = old->first[at];
      const Name name = slot.name.load(std::memory_order_relaxed);
      if (name != kFree && name != kErased) put(*larger, name, slot.value);
    }
    slots_.store(larger, std::memory_order_release);
    return larger;
  }

  std::atomic<Slots*> slots_{nullptr};
  std::size_t used_ = 0;  ///< slots that are not free
};

}  // namespace topowise::interpose
