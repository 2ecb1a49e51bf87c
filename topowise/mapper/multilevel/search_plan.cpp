// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/multilevel/search_plan.hpp>

#include <algorithm>

namespace topowise::multilevel {

SearchPlan plan_search(const Graph& graph, std::size_t blocks) {
  SearchPlan plan;
  const auto arcs = static_cast<double>(std::max<std::size_t>(graph.arcs.size(), 1));
  // Work grows in proportion to the arcs for large graphs; small ones can afford more searches.
  const double searches = std::clamp(2e6 / arcs, 1.0, 12.0);
  plan.division.members = static_cast<int>(searches);
  plan.division.generations = plan.division.members > 1 ? 4 * plan.division.members : 0;
  plan.starts = blocks > 1 ? 1 : 0;
  return plan;
}

}  // namespace topowise::multilevel
