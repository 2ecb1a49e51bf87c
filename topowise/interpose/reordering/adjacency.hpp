// SPDX-License-Identifier: BSD-3-Clause
// The neighbours of one vertex of a distributed graph, which go to the process that plays it.
#pragma once

#include <vector>

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose::reordering {

struct Adjacency {
  int in_degree = 0;
  int out_degree = 0;
  int weighted = 0;
  /// Sources, destinations, and if weighted the weights of both, one after the other; never empty.
  std::vector<int> numbers{0};

  [[nodiscard]] int size() const { return (in_degree + out_degree) * (weighted != 0 ? 2 : 1); }
  [[nodiscard]] const int* sources() const { return numbers.data(); }
  [[nodiscard]] const int* destinations() const { return sources() + in_degree; }
  [[nodiscard]] const int* source_weights() const { return destinations() + out_degree; }
  [[nodiscard]] const int* destination_weights() const { return source_weights() + in_degree; }
};

/// The array of weights, or null for MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY.
[[nodiscard]] const int* numbers(const Mpi& m, const int* weights);

[[nodiscard]] Adjacency adjacency(const Mpi& m, int in_degree, const int* sources, const int* source_weights,
                                  int out_degree, const int* destinations, const int* destination_weights);

/// Sends `own` to rank `to` of `comm` and receives what this process plays from rank `from`.
[[nodiscard]] int exchange(const Mpi& m, Word comm, const Adjacency& own, int to, int from, Adjacency& played);

}  // namespace topowise::interpose::reordering
