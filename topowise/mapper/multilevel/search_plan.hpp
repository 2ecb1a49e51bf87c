// SPDX-License-Identifier: BSD-3-Clause
// How much work a problem of a size is worth.
#pragma once

#include <topowise/mapper/multilevel/csr_graph.hpp>
#include <topowise/mapper/multilevel/vcycle.hpp>

namespace topowise::multilevel {

struct SearchPlan {
  Effort division;      ///< for each division of the hierarchy
  Effort whole;         ///< for searches over the whole machine
  int starts = 1;       ///< multisections
  int generations = 0;  ///< children of whole mappings
};

/// By the number of edges alone, so that the answer does not depend on how fast the machine is.
[[nodiscard]] SearchPlan plan_search(const Graph& graph, std::size_t blocks);

}  // namespace topowise::multilevel
