// SPDX-License-Identifier: BSD-3-Clause
// What a call says of the vertices of the new virtual topology, checked: a shape that MPI would refuse is not valid.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/interpose/base/abi.hpp>
#include <topowise/reorder/engine.hpp>

namespace topowise::interpose::reordering {

struct Shape {
  engine::Kind kind = engine::Kind::edges;
  bool valid = true;   ///< false leaves the call to MPI, which says what is wrong, or makes what has no vertices
  bool lacks = false;  ///< this process has no memory to look at what the call says
  int vertices = 0;
  int dimensions = 0;
  const int* extents = nullptr;
  const int* periodic = nullptr;
  const int* index = nullptr;
  const int* neighbors = nullptr;
  std::vector<engine::Edge> edges{};  ///< that this process states
  std::uint64_t digest = 0;           ///< of all that has to be the same in every process
};

/// A grid of at most `processes` cells.
[[nodiscard]] Shape grid(int processes, int dimensions, const int* extents, const int* periodic);
[[nodiscard]] Shape graph(int processes, int vertices, const int* index, const int* neighbors);

/// MPI_Dist_graph_create: any edges. `weights` null: 1 each.
[[nodiscard]] Shape stated_edges(const Mpi& m, int processes, int count, const int* sources, const int* degrees,
                                 const int* destinations, const int* weights);

/// MPI_Dist_graph_create_adjacent: the edges from and to this process. Those that leave it are the shape; those that
/// come to it are only checked, because their sources state them too.
struct Neighbors {
  int degree;
  const int* ranks;
  const int* weights;  ///< as the program gave them
};
[[nodiscard]] Shape own_edges(const Mpi& m, int processes, int rank, const Neighbors& in, const Neighbors& out);

/// The vertices that a vertex sends to, without itself and once each, as far as this process knows.
[[nodiscard]] std::vector<int> neighbors_of(const Shape& shape, int vertex);

}  // namespace topowise::interpose::reordering
