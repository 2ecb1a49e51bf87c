// SPDX-License-Identifier: BSD-3-Clause
// What one thread knows and counts. Each thread has rows of its own in the file, so that counting needs neither locks
// nor locked instructions; a reader adds them up. A thread that ends leaves its rows to the next new one.
//
// The way of a message (count_message): look the communicator and the datatype up in two tables that all threads share,
// find the partner's row in a hash table of the thread's own, add to three counters. No MPI call, no lock, no system
// call; all else is off that way.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include <topowise/interpose/base/memory_kind.hpp>
#include <topowise/interpose/recording/recording.hpp>
#include <topowise/interpose/recording/row_index.hpp>

namespace topowise::interpose {

/// Adds to a counter that only this thread writes but a reader of the file may see at any time.
inline void add(std::uint64_t& counter, std::uint64_t amount) noexcept {
  const std::atomic_ref<std::uint64_t> shared(counter);
  shared.store(shared.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

class Thread {
 public:
  void count_peer(std::int32_t peer, profile::Channel channel, BufferMemory where, std::uint64_t bytes) noexcept {
    const RowKey key{0, static_cast<std::uint32_t>(peer) | static_cast<std::uint64_t>(channel) << 32 |
                            static_cast<std::uint64_t>(where.memory) << 40 |
                            static_cast<std::uint64_t>(where.gpu) << 48};
    profile::PeerRow* const* known = peers_.find(key);
    profile::PeerRow* row = known != nullptr ? *known : new_peer(key, peer, channel, where);
    if (row != nullptr) {
      add(row->messages, 1);
      add(row->bytes, bytes);
      add(row->sizes[profile::size_bin(bytes)], 1);
    } else {
      lose_messages(channel, bytes);
    }
    if (tracing_ && channel != profile::Channel::receive)
      trace({0, bytes, 0, peer, profile::Operation::point_to_point, channel, where.memory});
  }

  /// One collective call: `row` is the key part of its CollectiveRow, its counters 0; each of `parts` has the bytes
  /// of this call.
  void count_call(const profile::CollectiveRow& row, std::uint64_t bytes,
                  std::span<const profile::VectorRow> parts) noexcept;

  /// Traces a call that is counted elsewhere, if a trace is wanted; its time is now.
  void trace_call(const profile::TraceRow& row) noexcept {
    if (tracing_) trace(row);
  }

  [[nodiscard]] BufferMemory memory_of(const void* buffer) noexcept { return memory_.find(buffer); }
  [[nodiscard]] bool gpu_driver(const void* buffer) noexcept { return memory_.has_driver(buffer); }
  /// The calling thread takes this object over.
  void begin_thread() noexcept;

  /// Scratch for the partners of one vector collective, kept to spare an allocation per call.
  std::vector<profile::VectorRow> partners;

 private:
  profile::PeerRow* new_peer(RowKey key, std::int32_t peer, profile::Channel channel, BufferMemory where) noexcept;
  void count_collective(const profile::CollectiveRow& row, std::uint64_t bytes) noexcept;
  void count_partner(const profile::VectorRow& partner) noexcept;
  static void lose_messages(profile::Channel channel, std::uint64_t bytes) noexcept;
  void trace(profile::TraceRow row) noexcept;

  bool tracing_ = trace_wanted();
  RowIndex<profile::PeerRow> peers_;
  RowIndex<profile::CollectiveRow> collectives_;
  RowIndex<profile::VectorRow> vectors_;
  profile::Segment* trace_segment_ = nullptr;
  MemoryKinds<LoadedDriver> memory_;
};

/// Writes the bus id of that GPU of this process, below profile::kMostGpus, into the profile.
void note_gpu(int number) noexcept;

/// Gives the calling thread its Thread; null if there is no memory for one.
[[nodiscard]] Thread* new_thread() noexcept;
namespace detail {
// initial-exec: one instruction instead of a call; a preloaded library is there when the program's TLS is laid out.
[[gnu::tls_model("initial-exec")]] inline thread_local constinit Thread* thread = nullptr;
}  // namespace detail

[[nodiscard]] inline Thread* this_thread() noexcept {
  return detail::thread != nullptr ? detail::thread : new_thread();
}

}  // namespace topowise::interpose
