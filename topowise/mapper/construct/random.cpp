// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/construct/random.hpp>

#include <topowise/base/random.hpp>
#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

MapperAnswer map_random(const MapProblem& problem, const Budget&) {
  std::vector<Place> places = slots(problem);
  Random random(problem.seed);
  random.shuffle(std::span(places));
  places.resize(problem.traffic.ranks());
  return {.mapping = Mapping(std::move(places))};
}

}  // namespace topowise
