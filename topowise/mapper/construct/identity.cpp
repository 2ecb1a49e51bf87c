// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/construct/identity.hpp>

#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

MapperAnswer map_identity(const MapProblem& problem, const Budget&) {
  return {.mapping = fill_in_order(problem)};
}

}  // namespace topowise
