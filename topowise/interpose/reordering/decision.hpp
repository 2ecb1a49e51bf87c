// SPDX-License-Identifier: BSD-3-Clause
// Which rank every process gets in a new communicator. All processes of the old one decide together; one computes.
//
// Memory: that process needs 104 bytes for each process and 12 for each edge, the first of a host 12 for each edge of
// its host, the others a constant and their own edges.
#pragma once

#include <topowise/interpose/base/abi.hpp>
#include <topowise/interpose/reordering/call_site.hpp>
#include <topowise/interpose/reordering/shape.hpp>

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
/// on what they ask, in report mode, or if there is nothing to gain.
/// Throws nothing: without memory in a process ranks stay as they are, in all processes.
[[nodiscard]] Decision decide(const Mpi& m, Word comm, bool asked, const Shape& shape, const CallSite& site);

/// For a process without memory for its part in what others wait for: fails as if MPI had found the error, so that the
/// job ends unless the program has taken over errors. Returns the error.
[[nodiscard]] int fail_without_memory(const Mpi& m, Word comm, const CallSite& site) noexcept;

}  // namespace topowise::interpose::reordering
