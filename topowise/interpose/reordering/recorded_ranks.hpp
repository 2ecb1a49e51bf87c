// SPDX-License-Identifier: BSD-3-Clause
// Under which rank a recording knows a process. In the recorded run no ranks were reordered, so what a vertex of a new
// communicator sent is there under the rank of the process that had the vertex's number. In a reordered
// communicator, and in all that is made of it, the process that plays the vertex stands in for that process.
#pragma once

#include <atomic>

#include <topowise/interpose/base/arguments.hpp>

namespace topowise::interpose::reordering {

/// Sets the recorded rank of this process in `comm`, where it is not its rank in the job. Handles are those of C. No-op
/// without memory.
void set_recorded_rank(Word comm, int rank) noexcept;
/// The recorded rank of this process in `comm`; `job_rank` where nothing else is known.
[[nodiscard]] int recorded_rank(Word comm, int job_rank) noexcept;

namespace detail {
inline constinit std::atomic<int> recorded_ranks{0};
void made_of(const GroupRef& comm, Word made) noexcept;
void forget_recorded_rank(Word comm) noexcept;
}  // namespace detail

// These are on the way of calls and cost one load if no ranks were reordered.
/// The program has made one communicator of another.
inline void made_of(const GroupRef& comm, Word made) noexcept {
  if (detail::recorded_ranks.load(std::memory_order_relaxed) != 0) [[unlikely]]
    detail::made_of(comm, made);
}
/// Called before `comm` is freed.
inline void forget_recorded_rank(Word comm) noexcept {
  if (detail::recorded_ranks.load(std::memory_order_relaxed) != 0) [[unlikely]]
    detail::forget_recorded_rank(comm);
}

}  // namespace topowise::interpose::reordering
