// SPDX-License-Identifier: BSD-3-Clause
// Which rank every process gets in a new communicator. All processes of the old one decide together; one computes.
//
// Memory: that process needs 104 bytes for each process and 12 for each edge, the first of a host 12 for each edge of
// its host, the others a constant and their own edges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/interpose/base/abi.hpp>
#include <topowise/interpose/reordering/agreement.hpp>
#include <topowise/interpose/reordering/call_site.hpp>
#include <topowise/interpose/reordering/shape.hpp>
#include <topowise/reorder/engine.hpp>

namespace topowise::interpose::reordering {

struct Decision {
  int status = 0;  ///< MPI's; the communicator's error handler has seen what is not 0
  bool reorder = false;
  bool watch = false;  ///< this process looks whether the program notices
  bool leave = false;  ///< the call goes to MPI with the program's own 'reorder'
  int new_rank = -1;   ///< of this process; -1 if it plays no vertex
  int source = -1;     ///< new rank of the process whose old rank is this one's new rank
  int recorded = -1;   ///< the rank under which a recording knows this process in the new order
};

/// Collective over `comm`. `asked`: the program's reorder argument. Nothing is reordered if the processes do not agree
/// on what they ask, in report mode, or if no clearly better order is found.
/// Throws nothing: without memory in a process ranks stay as they are, in all processes.
[[nodiscard]] Decision decide(const Mpi& m, Word comm, bool asked, const Shape& shape, const CallSite& site);

/// For a process without memory for its part in what others wait for: fails as if MPI had found the error, so that the
/// job ends unless the program has taken over errors. Returns the error.
[[nodiscard]] int fail_without_memory(const Mpi& m, Word comm, const CallSite& site) noexcept;

// How the edges of a distributed graph get to the process that maps. On each host they go up a binary tree of its
// processes, and then from the first process of the host to the one that maps. So as many messages cross the network as
// there are hosts, whatever the size of the job.
//
// The messages go over a communicator of our own (own_communicator.hpp). MPI_Gatherv on the program's communicator does
// it where there is none (sessions, no call of all processes so far), or where threads make communicators side by side.
// No process receives from MPI_ANY_SOURCE: MPICH 5.0.2 hangs in that on hosts which are one machine.

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
