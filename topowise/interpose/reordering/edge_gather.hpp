// SPDX-License-Identifier: BSD-3-Clause
// The edges of a distributed graph on their way to the process that maps. On each host they go up a binary tree of its
// processes, and from the first process of the host to the one that maps: as many messages cross the network as there
// are hosts, whatever the size of the job.
//
// The messages go over a communicator of our own (own_communicator.hpp). Where there is none (sessions, no
// call of all processes so far), or where threads make communicators side by side, MPI_Gatherv on the program's
// communicator does it. Nobody receives from anybody: MPICH 5.0.2 hangs in that on hosts which are one machine.
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
  EdgeMessage before[2];  ///< from its own host
};

struct EdgePlan {
  std::vector<EdgeRoute> routes;        ///< for every process; the first gets all edges
  std::vector<EdgeMessage> from_hosts;  ///< what the first process gets from other hosts
};

/// `job_ranks`: of each process; empty, or with one below 0: not known.
[[nodiscard]] EdgePlan plan_edges(std::span<const Participant> participants, std::span<const std::int32_t> job_ranks);

/// Collective. `edges`: in, those of this process; out, in the process that maps, all. `from_hosts`: for that process.
/// Returns what MPI does.
[[nodiscard]] int gather_by_host(const Mpi& m, const EdgeRoute& route, std::span<const EdgeMessage> from_hosts,
                                 std::vector<engine::Edge>& edges);

}  // namespace topowise::interpose::reordering
