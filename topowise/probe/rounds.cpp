// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/probe/rounds.hpp>

#include <algorithm>
#include <set>

namespace topowise::probe {
namespace {

struct Round {
  std::vector<PairOfPlaces> pairs;
  std::set<LinkId> links;
  std::set<Place> places;
  bool closed = false;  ///< by a pair whose links are not known
};

std::vector<LinkId> links_of(const Topology& machine, const PairOfPlaces& pair) {
  std::vector<LinkId> links = machine.route(pair.first, pair.second);
  const std::vector<LinkId> back = machine.route(pair.second, pair.first);
  if (links.empty() || back.empty()) return {};
  links.insert(links.end(), back.begin(), back.end());
  return links;
}

bool takes(const Round& round, const PairOfPlaces& pair, const std::vector<LinkId>& links, std::size_t most) {
  return !round.closed && round.pairs.size() < most && !round.places.contains(pair.first) &&
         !round.places.contains(pair.second) &&
         std::ranges::none_of(links, [&](LinkId link) { return round.links.contains(link); });
}

}  // namespace

std::vector<PairOfPlaces> all_pairs(std::size_t places) {
  std::vector<PairOfPlaces> pairs;
  for (std::size_t a = 0; a < places; ++a) {
    for (std::size_t b = a + 1; b < places; ++b) pairs.emplace_back(a, b);
  }
  return pairs;
}

std::vector<std::vector<PairOfPlaces>> rounds(const Topology& machine, const std::vector<PairOfPlaces>& pairs,
                                              std::size_t most) {
  std::vector<Round> all;
  for (const PairOfPlaces& pair : pairs) {
    const std::vector<LinkId> links = links_of(machine, pair);
    auto round = links.empty() ? all.end() : std::ranges::find_if(all, [&](const Round& candidate) {
      return takes(candidate, pair, links, most);
    });
    if (round == all.end()) round = all.insert(all.end(), Round());
    round->pairs.push_back(pair);
    round->links.insert(links.begin(), links.end());
    round->places.insert({pair.first, pair.second});
    round->closed = links.empty();
  }
  std::vector<std::vector<PairOfPlaces>> result;
  for (Round& round : all) result.push_back(std::move(round.pairs));
  return result;
}

}  // namespace topowise::probe
