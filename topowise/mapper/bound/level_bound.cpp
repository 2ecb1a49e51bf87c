// SPDX-License-Identifier: BSD-3-Clause
// How many bytes must cross each level of the machine, whoever is where.
//
// Join the places along a minimum spanning tree of their distances, shortest edge first: when the edges shorter than h
// are in, places of different groups are at least h apart (the subdominant ultrametric, Gower and Ross 1969; on a
// hierarchy it is the distance itself). With h_0 = 0 < h_1 < h_2 ... the lengths, and C_l the bytes between ranks in
// different groups of level l (least_cut), the hop-bytes are at least the sum of (h_l - h_{l-1}) C_l. Flows raise C_l,
// but take time: when a rank sends to more ranks than its group holds, some of the flow has to leave the group
// (flow_bound).
#include <topowise/mapper/bound/level_bound.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/mapper/bound/flow_bound.hpp>
#include <topowise/mapper/bound/least_cut.hpp>
#include <topowise/mapper/problem/cost_numbers.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/problem/large_network.hpp>
#include <topowise/mapper/problem/parallel.hpp>
#include <topowise/mapper/problem/ultrametric.hpp>
#include <topowise/mapper/problem/uniform_levels.hpp>

namespace topowise {
namespace {

/// Groups of places; every place outside of a group is at least `height` away from it.
struct Level {
  double height = 0;
  GroupSizes groups;
};

std::vector<Level> levels_by_distance(const MapProblem& problem, std::span<const PlaceCapacity> places) {
  std::vector<Level> levels;
  DisjointSets groups(places.size());
  const auto distance = [&](std::size_t a, std::size_t b) {  // the shorter direction counts
    return std::min(problem.topology.pair_cost(problem.metric, places[a].place, places[b].place),
                    problem.topology.pair_cost(problem.metric, places[b].place, places[a].place));
  };
  std::vector<TreeEdge> tree = minimum_spanning_tree(places.size(), distance);
  std::ranges::sort(tree, {}, &TreeEdge::length);
  double height = 0;
  for (const TreeEdge& edge : tree) {
    if (edge.length > height) {
      height = edge.length;
      std::vector<std::size_t> capacities(places.size(), 0);
      for (std::uint32_t p = 0; p < places.size(); ++p) capacities[groups.find(p)] += places[p].capacity;
      std::erase(capacities, std::size_t{0});
      levels.push_back({height, group_sizes(std::move(capacities), problem.traffic.ranks())});
    }
    groups.join(edge.from, edge.to);
  }
  return levels;
}

/// Of a network too large to look at every pair: no two places are nearer than the nearest.
std::vector<Level> level_of_places(const MapProblem& problem, std::span<const PlaceCapacity> places) {
  if (problem.metric != Metric::distance || problem.topology.has_pair_matrix(problem.metric)) return {};
  std::vector<std::size_t> capacities;
  for (const PlaceCapacity& each : places) capacities.push_back(each.capacity);
  const double nearest = std::ranges::min(problem.topology.level_distances());
  return {{nearest, group_sizes(std::move(capacities), problem.traffic.ranks())}};
}

std::vector<Level> levels_by_arity(const MapProblem& problem, std::span<const PlaceCapacity> places) {
  std::vector<Level> levels;
  for (const UniformLevel& level : uniform_levels(problem, places)) {
    const std::vector<std::size_t> capacities(places.size() / level.reach, places.front().capacity * level.reach);
    levels.push_back({level.distance, group_sizes(capacities, problem.traffic.ranks())});
  }
  for (std::size_t l = levels.size(); l-- > 1;)  // a lower level is not wider than a higher one
    levels[l - 1].height = std::min(levels[l - 1].height, levels[l].height);
  return levels;
}

/// Levels whose groups hold more than one rank, but not all ranks. Of levels with equally large groups only the highest
/// is taken, of many levels only some.
std::vector<std::size_t> levels_worth_a_flow(std::span<const Level> levels) {
  std::vector<std::size_t> chosen;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (levels[l].groups.largest == 1 || levels[l].groups.needed == 1) continue;
    if (!chosen.empty() && levels[chosen.back()].groups.largest == levels[l].groups.largest) chosen.pop_back();
    chosen.push_back(l);
  }
  constexpr std::size_t kMost = 8;
  const std::size_t stride = (chosen.size() + kMost - 1) / kMost;
  std::vector<std::size_t> some;
  for (std::size_t i = chosen.size(); i > 0; i -= std::min(i, stride)) some.push_back(chosen[i - 1]);
  std::ranges::reverse(some);
  return some;
}

/// The share of the steps for each of `chosen`: in proportion to the root of what the level may add to the bound, if
/// the border of a group grows with the root of its size.
std::vector<double> shares_of_steps(std::span<const Level> levels, std::span<const std::size_t> chosen) {
  std::vector<double> shares;
  double all = 0;
  double below = 0;
  for (const std::size_t l : chosen) {
    shares.push_back(std::sqrt((levels[l].height - below) / std::sqrt(static_cast<double>(levels[l].groups.largest))));
    below = levels[l].height;
    all += shares.back();
  }
  for (double& share : shares) share /= all;
  return shares;
}

void raise_by_flows(const MapProblem& problem, std::span<const Level> levels, const FlowWork& flows,
                    std::vector<double>& bytes) {
  const std::vector<std::size_t> chosen = levels_worth_a_flow(levels);
  if (chosen.empty()) return;
  const std::vector<double> shares = shares_of_steps(levels, chosen);
  const FlowBound flow(problem.traffic);
  multilevel::for_each_piece(static_cast<int>(chosen.size()), flows.threads, [&](int i) {
    const std::size_t l = chosen[static_cast<std::size_t>(i)];
    const double part = flows.steps * shares[static_cast<std::size_t>(i)];
    bytes[l] = std::max(bytes[l], flow.bytes_between(levels[l].groups.largest, part, flows.deadline));
  });
  // What leaves a group also leaves the smaller groups that it is made of.
  for (std::size_t l = levels.size() - 1; l-- > 0;) bytes[l] = std::max(bytes[l], bytes[l + 1]);
}

double sum_over(std::span<const Level> levels, std::span<const double> bytes) {
  double sum = 0;
  double below = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    sum += (levels[l].height - below) * bytes[l];
    below = levels[l].height;
  }
  return sum;
}

}  // namespace

double level_bound(const MapProblem& problem, const Partners& partners, const FlowWork& flows, double step) {
  const std::vector<PlaceCapacity> places = place_capacities(problem);
  const bool by_pairs = places.size() <= Topology::kLargestDense && nested_levels(problem, places).empty();
  std::vector<Level> levels = is_large_network(problem) ? level_of_places(problem, places)
                              : by_pairs                ? levels_by_distance(problem, places)
                                                        : levels_by_arity(problem, places);
  std::erase_if(levels, [](const Level& level) { return level.height <= 0; });
  if (levels.empty()) return 0;
  const LeastCut cut(problem.traffic, partners);
  std::vector<double> bytes;
  for (const Level& level : levels) bytes.push_back(cut.between(level.groups));
  const double bound = next_cost(sum_over(levels, bytes), step, rounding_of_one_sum(problem.traffic));
  if (flows.steps == 0) return bound;
  raise_by_flows(problem, levels, flows, bytes);
  return std::max(bound, next_cost(sum_over(levels, bytes), step));
}

}  // namespace topowise
