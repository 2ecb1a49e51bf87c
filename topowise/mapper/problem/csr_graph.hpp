// SPDX-License-Identifier: BSD-3-Clause
// The guest graph as the multilevel algorithms want it: undirected, compressed rows, weighted vertices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>

namespace topowise::multilevel {

using GuestVertex = std::int32_t;  ///< vertex of a guest graph: a rank, or a cluster of ranks on a coarser level

struct Arc {
  GuestVertex to = 0;
  double weight = 0;  ///< bytes in both directions
};

/// Every edge is in the rows of both its ends.
struct Graph {
  std::vector<std::int64_t> first{0};  ///< arcs of vertex v: [first[v], first[v+1])
  std::vector<Arc> arcs;
  std::vector<int> load;  ///< ranks that a vertex stands for, or the sum of their loads

  [[nodiscard]] GuestVertex size() const { return static_cast<GuestVertex>(load.size()); }
  [[nodiscard]] std::span<const Arc> arcs_of(GuestVertex v) const {
    const auto begin = static_cast<std::size_t>(first[static_cast<std::size_t>(v)]);
    return {arcs.data() + begin, static_cast<std::size_t>(first[static_cast<std::size_t>(v) + 1]) - begin};
  }
  [[nodiscard]] std::int64_t total_load() const;
  [[nodiscard]] int largest_load() const;
};

/// One vertex a rank, of load 1 if there are no `loads`; an edge weighs what both ranks send to each other. Messages to
/// oneself are left out.
[[nodiscard]] Graph symmetric_graph(const Traffic& traffic, std::span<const int> loads = {});

/// All vertices, each near its neighbours: breadth first from the first vertex of each component.
[[nodiscard]] std::vector<GuestVertex> breadth_first_order(const Graph& graph);

/// The same graph; vertex i is what order[i] was.
[[nodiscard]] Graph renumbered(const Graph& graph, std::span<const GuestVertex> order);

/// The part of a graph that lies in one block, and which vertices of the whole these are.
struct Subgraph {
  Graph graph;
  std::vector<GuestVertex> origin;
};

/// The induced subgraphs of blocks 0..blocks-1; edges between blocks disappear.
[[nodiscard]] std::vector<Subgraph> split(const Graph& graph, std::span<const int> block_of, int blocks);

}  // namespace topowise::multilevel
