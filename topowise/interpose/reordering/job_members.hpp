// SPDX-License-Identifier: BSD-3-Clause
// Whether all processes of a communicator are of this job. Those of another one, spawned or connected, may run without
// this library: nobody may wait for what they would say.
#pragma once

#include <atomic>

#include <topowise/interpose/base/abi.hpp>
#include <topowise/interpose/reordering/call_site.hpp>

namespace topowise::interpose::reordering {

/// Every member comes to the same answer without asking the others. Where it is no, one of them counts the call, and
/// says so.
[[nodiscard]] bool all_of_this_job(const Mpi& m, Word comm, const CallSite& site);

namespace detail {
inline constinit std::atomic<bool> merged{false};
}  // namespace detail

/// MPI_Intercomm_merge: without it no communicator holds processes of several jobs.
inline void sees_merge() noexcept {
  detail::merged.store(true, std::memory_order_relaxed);
}

}  // namespace topowise::interpose::reordering
