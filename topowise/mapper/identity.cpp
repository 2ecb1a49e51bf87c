// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/identity.hpp>

#include <topowise/mapper/instance.hpp>

namespace topowise {

MapperAnswer map_identity(const MapProblem& problem) {
  return {.mapping = fill_in_order(problem)};
}

}  // namespace topowise
