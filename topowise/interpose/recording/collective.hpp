// SPDX-License-Identifier: BSD-3-Clause
// Collective calls -> rows, kept logically: who, which operation, which root, how many bytes. What MPI makes of it
// below its interface is for a model to say later. What each function counts as `bytes` is profile::kOperations' Share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <topowise/interpose/base/arguments.hpp>
#include <topowise/interpose/recording/recording.hpp>
#include <topowise/profile/format.hpp>

namespace topowise::interpose {

using profile::Operation;

/// What to do with a call: count it now, or remember it under this persistent request and count it at each start.
struct When {
  bool now;
  Word request;
};

struct Buffer {
  const void* address;
  Count count;
  TypeRef type;
};
struct VectorBuffer {
  const void* address;
  Counts counts;
  TypeRef type;
};
struct TypedVectorBuffer {
  const void* address;
  Counts counts;
  Types types;
};

/// Calls `count`. In a program that is not recorded nothing is built and no function called.
template <class Count>
inline void where_recorded(const Count& count) noexcept {
  if (mode().load(std::memory_order_relaxed) != Mode::off) count();
}

void barrier(When when, const GroupRef& comm) noexcept;
/// bcast, reduce, allreduce, scan, exscan: one vector, the same at every member.
void count_whole_vector(When when, Operation operation, const Buffer& buffer, std::optional<int> root,
                        const GroupRef& comm) noexcept;
inline void whole_vector(When when, Operation operation, const Buffer& buffer, std::optional<int> root,
                         const GroupRef& comm) noexcept {
  where_recorded([&] { count_whole_vector(when, operation, buffer, root, comm); });
}
/// gather, allgather: this member's contribution; from `receive` where `send` is MPI_IN_PLACE.
void count_contribution(When when, Operation operation, const Buffer& send, const Buffer& receive,
                        std::optional<int> root, const GroupRef& comm) noexcept;
/// gatherv, allgatherv.
void count_contribution(When when, Operation operation, const Buffer& send, const VectorBuffer& receive,
                        std::optional<int> root, const GroupRef& comm) noexcept;
template <class Receive>
inline void contribution(When when, Operation operation, const Buffer& send, const Receive& receive,
                         std::optional<int> root, const GroupRef& comm) noexcept {
  where_recorded([&] { count_contribution(when, operation, send, receive, root, comm); });
}
/// scatter: equal blocks; what counts at the root is `send`, elsewhere `receive`.
void scatter(When when, const Buffer& send, const Buffer& receive, std::optional<int> root,
             const GroupRef& comm) noexcept;
void scatterv(When when, const VectorBuffer& send, const Buffer& receive, std::optional<int> root,
              const GroupRef& comm) noexcept;
void alltoall(When when, const Buffer& send, const Buffer& receive, const GroupRef& comm) noexcept;
void alltoallv(When when, const VectorBuffer& send, const VectorBuffer& receive, const GroupRef& comm) noexcept;
void alltoallw(When when, const TypedVectorBuffer& send, const TypedVectorBuffer& receive,
               const GroupRef& comm) noexcept;
void count_reduce_scatter(When when, const void* send, const Counts& counts, const TypeRef& type,
                          const GroupRef& comm) noexcept;
inline void reduce_scatter(When when, const void* send, const Counts& counts, const TypeRef& type,
                           const GroupRef& comm) noexcept {
  where_recorded([&] { count_reduce_scatter(when, send, counts, type, comm); });
}
void count_reduce_scatter_block(When when, const Buffer& block, const GroupRef& comm) noexcept;
inline void reduce_scatter_block(When when, const Buffer& block, const GroupRef& comm) noexcept {
  where_recorded([&] { count_reduce_scatter_block(when, block, comm); });
}
/// neighbor_allgather(v), neighbor_alltoall: the same to each neighbour.
void to_each_neighbor(When when, Operation operation, const Buffer& send, const GroupRef& comm) noexcept;
void neighbor_alltoallv(When when, const VectorBuffer& send, const GroupRef& comm) noexcept;
void neighbor_alltoallw(When when, const TypedVectorBuffer& send, const GroupRef& comm) noexcept;

// Member lists as they are recorded: arithmetic progressions, one after the other.

/// Greedy: each run is as long as it can be. Members of another job (profile::kOutside) make runs of their own.
[[nodiscard]] std::vector<profile::Run> compress(std::span<const std::int32_t> ranks);

}  // namespace topowise::interpose
