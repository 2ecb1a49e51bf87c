// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/identity.hpp>

#include <topowise/mapper/instance.hpp>

namespace topowise {

MapperAnswer map_identity(const MapProblem& problem) {
  std::vector<Place> places = slots(problem);
  places.resize(problem.traffic.ranks());
  return {.mapping = Mapping(std::move(places))};
}

}  // namespace topowise
