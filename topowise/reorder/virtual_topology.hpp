// SPDX-License-Identifier: BSD-3-Clause
// MPI virtual topologies as traffic: which vertex talks to which, and how much.
//
// One edge weighs one byte, times its weight where the program states weights. In MPI_Graph_create an edge that is
// listed several times weighs as much (Rashti et al., EuroMPI 2011, section 3.1). Edges of a vertex to itself cost
// nothing under any mapping and are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

struct WeightedEdge {
  std::int32_t source = 0;
  std::int32_t destination = 0;
  double weight = 1;
};

/// What the vertices send each other, as far as it is known.
struct VertexTraffic {
  Traffic likely;
  /// The same edges, all of one weight, where the weights of `likely` are an assumption.
  std::optional<Traffic> alike;
  std::vector<int> loads;  ///< the work of each vertex; empty: not known

  /// Known weights.
  VertexTraffic(Traffic known) : likely(std::move(known)) {}  // NOLINT(google-explicit-constructor)
  VertexTraffic(Traffic assumed, Traffic of_one_weight) : likely(std::move(assumed)), alike(std::move(of_one_weight)) {}
};

/// MPI_Cart_create: each cell sends to its two neighbours in each dimension, row-major ranks. In a periodic dimension
/// of two cells both neighbours are the same one, and it counts twice, as in MPI's neighbourhood collectives.
/// `extents` above 0, as many as `periodic`, and as `weights` of the edges along each dimension; without them 1 each.
[[nodiscard]] Traffic cartesian_traffic(std::span<const int> extents, std::span<const bool> periodic,
                                        std::span<const int> weights = {});

/// The same without known weights: the grid is taken to cut a cube of data, so that a cell sends its face. Along an
/// axis of extent e the face is in proportion to e, as the product of all extents is the number of cells.
[[nodiscard]] VertexTraffic cut_of_a_cube(std::span<const int> extents, std::span<const bool> periodic);

/// MPI_Graph_create: `index` holds the running sums of the vertices' degrees. Throws Error(bad_input) where index or
/// edges contradict each other.
[[nodiscard]] Traffic graph_traffic(std::span<const int> index, std::span<const int> edges);

/// MPI_Dist_graph_create and its adjacent form, gathered. Throws Error(bad_input) for a vertex that does not exist or a
/// negative weight.
[[nodiscard]] Traffic edge_traffic(std::size_t vertices, std::span<const WeightedEdge> edges);

}  // namespace topowise
