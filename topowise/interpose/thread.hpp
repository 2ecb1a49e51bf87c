// SPDX-License-Identifier: BSD-3-Clause
// What one thread knows and counts. Each thread has rows of its own in the file, so that counting needs neither locks
// nor locked instructions; a reader adds them up. A thread that ends leaves its rows to the next new one.
//
// The way of a message (count_message): look the communicator and the datatype up in two small direct-mapped caches,
// find the partner's row in a hash table, add to three counters. No MPI call, no lock, no system call; all else is off
// that way.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include <topowise/interpose/communicator.hpp>
#include <topowise/interpose/life.hpp>
#include <topowise/interpose/memory_kind.hpp>
#include <topowise/interpose/request.hpp>
#include <topowise/interpose/row_index.hpp>

namespace topowise::interpose {

/// Adds to a counter that only this thread writes but a reader of the file may see at any time.
inline void add(std::uint64_t& counter, std::uint64_t amount) noexcept {
  const std::atomic_ref<std::uint64_t> shared(counter);
  shared.store(shared.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

class Thread {
 public:
  /// Null for a communicator that cannot be understood.
  [[nodiscard]] Communicator* communicator(const GroupRef& ref) noexcept {
    refresh();
    const std::uint64_t name = (static_cast<std::uint64_t>(ref.word) & defined_) * 4 +
                               static_cast<std::uint64_t>(ref.language) * 2 + static_cast<std::uint64_t>(ref.kind);
    CommunicatorSlot& slot = communicators_[home(name)];
    if (slot.name != name) [[unlikely]] {
      slot.communicator = communicators().find(ref);
      slot.name = name;
    }
    return slot.communicator;
  }

  /// Bytes of data in one element; 0 for an invalid type.
  [[nodiscard]] std::uint64_t type_size(const TypeRef& type) noexcept {
    refresh();
    const std::uint64_t name =
        (static_cast<std::uint64_t>(type.word) & defined_) * 2 + static_cast<std::uint64_t>(type.language);
    TypeSlot& slot = types_[home(name)];
    if (slot.name != name) [[unlikely]] {
      slot.size = ask_type_size(type);
      slot.name = name;
    }
    return slot.size;
  }

  /// What a persistent request sends at each start; null if that is not known.
  [[nodiscard]] const Start* start_of(Word request) noexcept {
    refresh();
    const auto name = static_cast<std::uint64_t>(request);
    StartSlot& slot = starts_[home(name)];
    if (slot.name != name) [[unlikely]] {
      slot.start = requests().find(request);
      slot.name = name;
    }
    return slot.start;
  }

  void count_peer(std::int32_t peer, profile::Channel channel, Whereabouts place, std::uint64_t bytes) noexcept {
    const RowKey key{0, static_cast<std::uint32_t>(peer) | static_cast<std::uint64_t>(channel) << 32 |
                            static_cast<std::uint64_t>(place.memory) << 40 |
                            static_cast<std::uint64_t>(place.gpu) << 48};
    profile::PeerRow* const* known = peers_.find(key);
    profile::PeerRow* row = known != nullptr ? *known : new_peer(key, peer, channel, place);
    if (row == nullptr) return;
    add(row->messages, 1);
    add(row->bytes, bytes);
    add(row->sizes[profile::size_bin(bytes)], 1);
    if (tracing_ && channel != profile::Channel::receive)
      trace({0, bytes, 0, peer, profile::Operation::point_to_point, channel, place.memory});
  }

  /// `row` is the key part of a CollectiveRow, its counters 0.
  void count_collective(const profile::CollectiveRow& row, std::uint64_t bytes) noexcept;
  void count_vector(const profile::VectorRow& row, std::uint64_t bytes) noexcept;

  [[nodiscard]] Whereabouts whereabouts(const void* buffer) noexcept { return memory_.find(buffer); }
  [[nodiscard]] bool gpu_driver(const void* buffer) noexcept { return memory_.has_driver(buffer); }
  /// The calling thread takes this object over.
  void begin_thread() noexcept;

  /// Scratch for the partners of one vector collective, kept to spare an allocation per call.
  std::vector<profile::VectorRow> partners;

 private:
  static constexpr std::size_t kSlots = 16;
  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};
  struct CommunicatorSlot {
    std::uint64_t name = kNothing;
    Communicator* communicator = nullptr;
  };
  struct StartSlot {
    std::uint64_t name = kNothing;
    const Start* start = nullptr;
  };
  struct TypeSlot {
    std::uint64_t name = kNothing;
    std::uint64_t size = 0;
  };

  static std::size_t home(std::uint64_t name) noexcept { return (name * 0x9e3779b97f4a7c15ULL) >> 60; }
  void refresh() noexcept {
    const std::uint32_t now = handle_generation.load(std::memory_order_relaxed);
    if (now != generation_) [[unlikely]]
      forget_names(now);
  }
  void forget_names(std::uint32_t generation) noexcept;
  static std::uint64_t ask_type_size(const TypeRef& type) noexcept;
  profile::PeerRow* new_peer(RowKey key, std::int32_t peer, profile::Channel channel, Whereabouts place) noexcept;
  void trace(profile::TraceRow row) noexcept;

  std::uint32_t generation_ = 0;
  bool tracing_ = trace_wanted();
  /// The bits of a handle that are defined.
  std::uint64_t defined_ = mpi()->family.handle_bytes == 4 ? 0xffffffffULL : ~std::uint64_t{0};
  std::array<CommunicatorSlot, kSlots> communicators_;
  std::array<TypeSlot, kSlots> types_;
  std::array<StartSlot, kSlots> starts_;
  RowIndex<profile::PeerRow> peers_;
  RowIndex<profile::CollectiveRow> collectives_;
  RowIndex<profile::VectorRow> vectors_;
  profile::Segment* trace_segment_ = nullptr;
  MemoryKinds<LoadedDriver> memory_;
};

/// Gives the calling thread its Thread; null if there is no memory for one.
[[nodiscard]] Thread* new_thread() noexcept;
namespace detail {
// initial-exec: one instruction instead of a call; a preloaded library is there when the program's TLS is laid out.
[[gnu::tls_model("initial-exec")]] inline thread_local constinit Thread* thread = nullptr;
[[gnu::tls_model("initial-exec")]] inline thread_local constinit std::uint64_t calls = 0;
}  // namespace detail

[[nodiscard]] inline Thread* this_thread() noexcept {
  return detail::thread != nullptr ? detail::thread : new_thread();
}

/// Calls that this thread has made through the C interface. A Fortran wrapper compares it before and after: what its
/// MPI passed on to the C interface has been counted there.
[[nodiscard]] inline std::uint64_t& calls_seen() noexcept {
  return detail::calls;
}

}  // namespace topowise::interpose
