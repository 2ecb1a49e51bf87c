// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/search/tabu.hpp>

#include <topowise/mapper/bound/lower_bound.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/search/improve.hpp>

namespace topowise {

MapperAnswer map_tabu(const MapProblem& problem, const Budget& budget) {
  const double bound = quick_lower_bound(problem, budget);
  MapperAnswer found = improve(problem, fill_in_order(problem), budget, bound);
  found.lower_bound = bound;
  return found;
}

}  // namespace topowise
