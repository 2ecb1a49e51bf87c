// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/construct/constructions.hpp>

#include <array>

#include <topowise/mapper/construct/cyclic.hpp>
#include <topowise/mapper/construct/greedy.hpp>
#include <topowise/mapper/construct/grid.hpp>
#include <topowise/mapper/construct/scotch.hpp>

namespace topowise {

bool constructs(const Mapper& mapper) {
  return mapper.considers == Considers::places || mapper.run == map_grid || mapper.run == map_greedy ||
         mapper.run == map_scotch;
}

namespace {

constexpr std::size_t kFewRanks = 4096;

}  // namespace

bool is_partitioning(const MapProblem& problem) {
  constexpr std::size_t kManyAPlace = 16;
  const std::size_t ranks = problem.traffic.ranks();
  return ranks > kFewRanks && ranks >= kManyAPlace * problem.topology.place_count();
}

std::span<const MapFunction> constructions(const MapProblem& problem) {
  static constexpr std::array<MapFunction, 3> kOfFew{map_cyclic, map_greedy, map_grid};
  static constexpr std::array<MapFunction, 3> kOfMany{map_grid, map_cyclic, map_greedy};
  if (problem.traffic.ranks() <= kFewRanks) return kOfFew;
  return std::span(kOfMany).first(is_partitioning(problem) ? 2 : 3);
}

}  // namespace topowise
