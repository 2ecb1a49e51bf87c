// SPDX-License-Identifier: BSD-3-Clause
// Which rank every process gets in a new communicator. All processes of the old one decide together; one computes.
//
// Memory: that process needs 64 bytes for each process and 12 for each edge, the others a constant and their own edges.
#pragma once

#include <span>

#include <topowise/interpose/base/abi.hpp>
#include <topowise/reorder/engine.hpp>

namespace topowise::interpose::reordering {

/// The call that asks.
struct CallSite {
  const char* function;  ///< "MPI_Cart_create"
  const void* address;   ///< where the program goes on after the call
};

struct Decision {
  int status = 0;  ///< of MPI
  bool reorder = false;
  int new_rank = -1;  ///< of this process; -1 if it plays no vertex
  int source = -1;    ///< new rank of the process whose old rank is this one's new rank
};

/// What the program says about the vertices.
struct Shape {
  engine::Kind kind = engine::Kind::edges;
  bool valid = true;  ///< false leaves the call to MPI, which says what is wrong
  int vertices = 0;
  int dimensions = 0;
  const int* extents = nullptr;
  const int* periodic = nullptr;
  const int* index = nullptr;
  const int* neighbors = nullptr;
  std::span<const engine::Edge> edges{};  ///< that this process states
};

/// Collective over `comm`. `asked`: the program's reorder argument. Nothing is reordered if the processes do not agree
/// on it, in report mode, or if there is nothing to gain.
[[nodiscard]] Decision decide(const Mpi& m, Word comm, bool asked, const Shape& shape, const CallSite& site);

}  // namespace topowise::interpose::reordering
