// SPDX-License-Identifier: BSD-3-Clause
// Smaller graphs that look like the large one: heavy-edge matching and contraction.
#pragma once

#include <span>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>
#include <topowise/mapper/problem/deadline.hpp>

namespace topowise::multilevel {

/// A finer graph's vertices, and the vertex of the coarser graph that each became part of.
struct Coarsening {
  Graph graph;
  std::vector<GuestVertex> coarse_of;
};

struct CoarsenLimits {
  int largest_load = 0;            ///< no vertex may stand for more ranks
  std::span<const int> partition;  ///< only vertices of one part are merged; empty: all may be
};

/// One round of matching. The result has as many vertices as the graph if nothing could be merged.
[[nodiscard]] Coarsening coarsen(const Graph& graph, const CoarsenLimits& limits, Random& random);

/// A graph and all coarser graphs that are made from it, the finest first.
class Levels {
 public:
  /// Coarsens until at most `target` vertices are left, a round removes less than a twentieth of them, or no time is
  /// left. The partition is carried along.
  Levels(const Graph& finest, GuestVertex target, const CoarsenLimits& limits, const Deadline& deadline,
         Random& random);

  [[nodiscard]] std::size_t count() const { return coarser_.size() + 1; }
  [[nodiscard]] const Graph& graph(std::size_t level) const {
    return level == 0 ? *finest_ : coarser_[level - 1].graph;
  }
  [[nodiscard]] const Graph& coarsest() const { return graph(count() - 1); }
  /// Blocks of the vertices of `level` from those of the coarser level.
  [[nodiscard]] std::vector<int> project(std::size_t level, std::span<const int> coarse_blocks) const;
  /// Blocks of the coarsest vertices from those of the finest, which must be equal within a coarsest vertex.
  [[nodiscard]] std::vector<int> restrict_to_coarsest(std::span<const int> blocks) const;
  /// An order of the vertices of `level` in which those of a coarser vertex stand together, from one of the coarser
  /// level.
  [[nodiscard]] std::vector<GuestVertex> expand(std::size_t level, std::span<const GuestVertex> coarse_order) const;

 private:
  const Graph* finest_;
  std::vector<Coarsening> coarser_;
};

/// All vertices, each near those that it would be merged with, level by level: the vertices of any piece of the order
/// talk mostly to each other.
[[nodiscard]] std::vector<GuestVertex> clustered_order(const Graph& graph, const Deadline& deadline, Random& random);

}  // namespace topowise::multilevel
