// SPDX-License-Identifier: BSD-3-Clause
// Point-to-point and one-sided calls -> rows. Called by the generated wrappers before the call goes on to MPI.
#pragma once

#include <optional>

#include <topowise/interpose/base/communicator.hpp>
#include <topowise/interpose/base/datatype.hpp>
#include <topowise/interpose/recording/request.hpp>
#include <topowise/interpose/recording/thread.hpp>

namespace topowise::interpose {

/// A message as it will be counted; nothing for MPI_PROC_NULL, for arguments that MPI will refuse, or if nothing is
/// recorded.
[[nodiscard]] inline std::optional<Message> message_of(Thread& thread, profile::Channel channel, const void* buffer,
                                                       Count count, const TypeRef& type, int peer,
                                                       const GroupRef& group) noexcept {
  const KnownCommunicator* partners = find_communicator(group);
  if (partners == nullptr || count < 0) return {};
  // Below 0 is MPI_PROC_NULL or, in a receive, MPI_ANY_SOURCE.
  const bool any_source = peer < 0 && channel == profile::Channel::receive && peer != mpi()->family.proc_null;
  if (!any_source && (peer < 0 || peer >= partners->destinations())) return {};
  const std::uint64_t bytes = count > 0 ? static_cast<std::uint64_t>(count) * type_size(type) : 0;
  return Message{any_source ? profile::kAnySource : partners->world_rank(peer), channel, thread.memory_of(buffer),
                 bytes};
}

inline void count_message(profile::Channel channel, const void* buffer, Count count, const TypeRef& type, int peer,
                          const GroupRef& group) noexcept {
  if (!recording()) return;
  Thread* thread = this_thread();
  if (thread == nullptr) return;
  const std::optional<Message> message = message_of(*thread, channel, buffer, count, type, peer, group);
  if (message) thread->count_peer(message->peer, message->channel, message->where, message->bytes);
}

inline void note_gpu_driver() noexcept {
  const std::atomic_ref<std::uint32_t> noted(profile_file().header().gpu_driver);
  if (noted.load(std::memory_order_relaxed) == 0) noted.store(1, std::memory_order_relaxed);
}

inline void send(const void* buffer, Count count, const TypeRef& type, int destination, const GroupRef& comm) noexcept {
  count_message(profile::Channel::send, buffer, count, type, destination, comm);
}
/// Counts what is posted to be received, for the memory that it comes into. There is nothing to know without a GPU
/// driver.
inline void receive(const void* buffer, Count count, const TypeRef& type, int source, const GroupRef& comm) noexcept {
  if (!recording()) return;
  Thread* thread = this_thread();
  if (thread == nullptr || !thread->gpu_driver(buffer)) return;
  note_gpu_driver();
  count_message(profile::Channel::receive, buffer, count, type, source, comm);
}
/// Write and accumulate: from the origin's buffer to the target.
inline void put(const void* buffer, Count count, const TypeRef& type, int target, const GroupRef& win) noexcept {
  count_message(profile::Channel::put, buffer, count, type, target, win);
}
/// Read: from the target into `buffer`.
inline void get(const void* buffer, Count count, const TypeRef& type, int target, const GroupRef& win) noexcept {
  count_message(profile::Channel::get, buffer, count, type, target, win);
}
/// Data go both ways; with MPI_NO_OP nothing is sent.
void get_accumulate(const void* origin, Count origin_count, const TypeRef& origin_type, const void* result,
                    Count result_count, const TypeRef& result_type, int target, Word op, const GroupRef& win) noexcept;
/// One element each way.
void fetch_and_op(const void* origin, const void* result, const TypeRef& type, int target, Word op,
                  const GroupRef& win) noexcept;
/// One element each way; the comparand travels beside the new value and is no traffic of its own.
void compare_and_swap(const void* origin, const void* result, const TypeRef& type, int target,
                      const GroupRef& win) noexcept;

// Persistent and partitioned sends move nothing yet: they are remembered here and counted at each start.
void send_init(const void* buffer, Count count, const TypeRef& type, int destination, const GroupRef& comm,
               Word request) noexcept;
/// Each start is counted as one message of all partitions.
void psend_init(const void* buffer, int partitions, Count count, const TypeRef& type, int destination,
                const GroupRef& comm, Word request) noexcept;
void receive_init(const void* buffer, Count count, const TypeRef& type, int source, const GroupRef& comm,
                  Word request) noexcept;
void preceive_init(const void* buffer, int partitions, Count count, const TypeRef& type, int source,
                   const GroupRef& comm, Word request) noexcept;

}  // namespace topowise::interpose
