// SPDX-License-Identifier: BSD-3-Clause
// How much work a search spends, by the size of the problem.
#pragma once

#include <optional>

#include <topowise/mapper/multilevel/vcycle.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>

namespace topowise::multilevel {

struct SearchPlan {
  Effort division;  ///< for each division of the hierarchy
  Effort whole;     ///< for searches over the whole machine
  int tops = 1;     ///< whole mappings, from the best divisions at the top of the hierarchy
  int cycles = 1;   ///< of coarsening and refinement with the true cost, fewer if one gains nothing
  /// Makes the cycles also on a hierarchy, although its divisions were refined already, by what each level adds to that
  /// cost.
  bool cycles_on_hierarchy = true;
  int sweeps = 1;     ///< of exchanges
  int matchings = 0;  ///< placements by shape, of which the best is refined
};

/// Plans by the number of edges, so that the answer does not depend on how fast the machine is. `threads` is only
/// passed on. Nothing for a graph so large that it would hardly do more than plan_fast().
[[nodiscard]] std::optional<SearchPlan> plan_search(const Graph& graph, int threads);

/// One or two partitions of each division, refined once: for those who cannot wait.
[[nodiscard]] SearchPlan plan_fast(const Graph& graph, int threads);

}  // namespace topowise::multilevel
