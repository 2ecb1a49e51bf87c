// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/constrained/occupancy.hpp>

namespace topowise {

Occupancy::Occupancy(const MapProblem& problem, const Mapping& start)
    : problem_(problem),
      ranks_on_(problem.topology.place_count()),
      capacity_left_(topowise::capacity_left(problem, start)) {
  std::vector<bool> is_fixed(start.ranks(), false);
  for (const FixedRank& fixed : problem.fixed) is_fixed[fixed.rank.index()] = true;
  for (std::uint32_t rank = 0; rank < start.ranks(); ++rank) {
    if (is_fixed[rank]) continue;
    free_.push_back(rank);
    ranks_on_[start[Rank(rank)].index()].push_back(rank);
  }
}

void Occupancy::move(std::uint32_t rank, Place from, Place to) {
  std::erase(ranks_on_[from.index()], rank);
  ranks_on_[to.index()].push_back(rank);
  const std::int64_t load = load_of(problem_, rank);
  capacity_left_[from.index()] += load;
  capacity_left_[to.index()] -= load;
}

}  // namespace topowise
