// SPDX-License-Identifier: BSD-3-Clause
// Under which rank a recording knows a process. In the recorded run no ranks were reordered: what a vertex of a new
// communicator sent stands there under the rank of the process that had its number. In a reordered communicator, and
// in all that is made of it, the process that plays the vertex stands in for that one.
#pragma once

#include <atomic>

#include <topowise/interpose/base/arguments.hpp>

namespace topowise::interpose::reordering {

/// Of this process in `comm`, where it is not its rank in the job. Handles are those of C. No-op without memory.
void set_recorded_rank(Word comm, int rank) noexcept;
/// `job_rank` where nothing else is known.
[[nodiscard]] int recorded_rank(Word comm, int job_rank) noexcept;

namespace detail {
inline constinit std::atomic<int> recorded_ranks{0};
void made_of(const GroupRef& comm, Word made) noexcept;
void forget_recorded_rank(Word comm) noexcept;
}  // namespace detail

// On the way of calls: one load if no ranks were reordered.
/// The program has made one communicator of another.
inline void made_of(const GroupRef& comm, Word made) noexcept {
  if (detail::recorded_ranks.load(std::memory_order_relaxed) != 0) [[unlikely]]
    detail::made_of(comm, made);
}
/// About to be freed.
inline void forget_recorded_rank(Word comm) noexcept {
  if (detail::recorded_ranks.load(std::memory_order_relaxed) != 0) [[unlikely]]
    detail::forget_recorded_rank(comm);
}

}  // namespace topowise::interpose::reordering
