// SPDX-License-Identifier: BSD-3-Clause
// How the edges of a distributed graph get to the process that maps. On each host they go up a binary tree of its
// processes, and then from the first process of the host to the one that maps. So as many messages cross the network as
// there are hosts, whatever the size of the job.
//
// The messages go over a communicator of our own (own_communicator.hpp). MPI_Gatherv on the program's communicator does
// it where there is none (sessions, no call of all processes so far), or where threads make communicators side by side.
// No process receives from MPI_ANY_SOURCE: MPICH 5.0.2 hangs in that on hosts which are one machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/interpose/base/abi.hpp>
#include <topowise/interpose/reordering/agreement.hpp>
#include <topowise/reorder/engine.hpp>

namespace topowise::interpose::reordering {

/// A message that a process gets. Ranks are those in the job.
struct EdgeMessage {
  std::int32_t from = -1;
  std::int32_t edges = 0;  ///< 0: it does not come
};

/// What a process has to do.
struct EdgeRoute {
  static constexpr std::int32_t kNobody = -1;  ///< it has nothing to send on, or is where edges end
  static constexpr std::int32_t kByMpi = -2;   ///< all processes: MPI_Gatherv
  std::int32_t to = kNobody;
  EdgeMessage before[2];  ///< those from its own host
};

struct EdgePlan {
  std::vector<EdgeRoute> routes;        ///< for every process; the first gets all edges
  std::vector<EdgeMessage> from_hosts;  ///< what the first process gets from other hosts
};

/// `job_ranks`: the rank of each process in the job; if there are none, or one is below 0, they are not known.
[[nodiscard]] EdgePlan plan_edges(std::span<const Participant> participants, std::span<const std::int32_t> job_ranks);

/// Collective. `edges`: on entry, those of this process; afterwards, in the process that maps, all edges. `from_hosts`:
/// what that process gets from other hosts. Returns what MPI does.
[[nodiscard]] int gather_by_host(const Mpi& m, const EdgeRoute& route, std::span<const EdgeMessage> from_hosts,
                                 std::vector<engine::Edge>& edges);

}  // namespace topowise::interpose::reordering
