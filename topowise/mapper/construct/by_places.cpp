// SPDX-License-Identifier: BSD-3-Clause
// `cyclic` deals ranks out like cards: rank 0 goes to the first group, rank 1 to the second, and so on in turn; inside
// a group places are filled in order. The groups are the compute nodes of a cluster, as launchers deal ranks out.
// Inside one node they are the parts between which only the farthest class of path exists, such as the sockets. Where
// the machine does not fall apart in that way (all places alike, or a mesh), every place is its own group, so each gets
// one rank a round.
#include <topowise/mapper/problem/mapper_functions.hpp>

#include <algorithm>
#include <map>
#include <string>

#include <topowise/base/random.hpp>
#include <topowise/mapper/problem/instance.hpp>

namespace topowise {
namespace {

/// The places of each compute node, by the first place of each; empty unless there are several nodes and each place is
/// on one.
std::vector<std::vector<PlaceCapacity>> compute_nodes(const MapProblem& problem,
                                                      const std::vector<PlaceCapacity>& all) {
  std::vector<std::vector<PlaceCapacity>> groups;
  std::map<std::string, std::size_t> number;
  for (const PlaceCapacity& each : all) {
    const std::string node = node_name(problem.topology, problem.topology.place(each.place).vertex);
    if (node.empty()) return {};
    const std::size_t group = number.try_emplace(node, number.size()).first->second;
    groups.resize(number.size());
    groups[group].push_back(each);
  }
  if (groups.size() == 1) groups.clear();
  return groups;
}

/// Groups places that are nearer to each other than the farthest class; a chain of such pairs joins places to one
/// group.
std::vector<std::vector<PlaceCapacity>> outermost_groups(const MapProblem& problem,
                                                         const std::vector<PlaceCapacity>& all) {
  const int farthest = static_cast<int>(problem.topology.levels().size()) - 1;
  std::vector<std::vector<PlaceCapacity>> groups;
  std::vector<bool> grouped(all.size(), false);
  for (std::size_t a = 0; a < all.size(); ++a) {
    if (grouped[a]) continue;
    grouped[a] = true;
    std::vector<std::size_t> members{a};
    for (std::size_t m = 0; m < members.size(); ++m) {
      for (std::size_t b = a + 1; b < all.size(); ++b) {
        if (grouped[b] || problem.topology.level(all[members[m]].place, all[b].place) >= farthest) continue;
        grouped[b] = true;
        members.push_back(b);
      }
    }
    std::ranges::sort(members);
    groups.emplace_back();
    for (const std::size_t m : members) groups.back().push_back(all[m]);
  }
  return groups;
}

/// The same in one pass, for a machine where all places between two places of a group, in order, are in that group.
std::vector<std::vector<PlaceCapacity>> consecutive_groups(const MapProblem& problem,
                                                           const std::vector<PlaceCapacity>& all) {
  const int farthest = static_cast<int>(problem.topology.levels().size()) - 1;
  std::vector<std::vector<PlaceCapacity>> groups;
  for (const PlaceCapacity& each : all) {
    if (groups.empty() || problem.topology.level(groups.back().front().place, each.place) >= farthest)
      groups.emplace_back();
    groups.back().push_back(each);
  }
  return groups;
}

}  // namespace

MapperAnswer map_cyclic(const MapProblem& problem, const Budget&) {
  const std::vector<PlaceCapacity> all = place_capacities(problem);
  std::vector<std::vector<PlaceCapacity>> groups = compute_nodes(problem, all);
  if (groups.empty())
    groups = all.size() <= Topology::kLargestDense ? outermost_groups(problem, all) : consecutive_groups(problem, all);
  if (groups.size() == 1) {
    groups.clear();
    for (const PlaceCapacity& each : all) groups.push_back({each});
  }
  for (std::vector<PlaceCapacity>& group : groups) std::ranges::reverse(group);  // the next place is at the back
  std::vector<Place> places;
  for (std::size_t turn = 0; places.size() < problem.traffic.ranks(); turn = (turn + 1) % groups.size()) {
    std::vector<PlaceCapacity>& group = groups[turn];
    if (group.empty()) continue;
    places.push_back(group.back().place);
    if (--group.back().capacity == 0) group.pop_back();
  }
  return {.mapping = Mapping(std::move(places))};
}

MapperAnswer map_identity(const MapProblem& problem, const Budget&) {
  return {.mapping = fill_in_order(problem)};
}

MapperAnswer map_random(const MapProblem& problem, const Budget&) {
  std::vector<Place> places = slots(problem);
  Random random(problem.seed);
  random.shuffle(std::span(places));
  places.resize(problem.traffic.ranks());
  return {.mapping = Mapping(std::move(places))};
}

}  // namespace topowise
