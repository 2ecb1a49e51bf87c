// SPDX-License-Identifier: BSD-3-Clause
// A tournament in which everybody meets everybody once (circle method): one player stays, all others move on by one
// seat around a table after each round, and who sits opposite plays. n players need n - 1 rounds; with an odd number an
// empty seat is added, and who sits opposite to it rests.
#include <topowise/probe/pair_rounds.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace topowise::probe {
namespace {

struct OpenRound {
  Round pairs;
  std::set<std::size_t> occupied;
  std::set<Place> places;
  bool closed = false;  ///< by a pair for which it is not known what it occupies
};

bool takes(const OpenRound& round, const PairOfPlaces& pair, const std::vector<std::size_t>& occupied,
           std::size_t most) {
  return !round.closed && round.pairs.size() < most && !round.places.contains(pair.first) &&
         !round.places.contains(pair.second) &&
         std::ranges::none_of(occupied, [&](std::size_t thing) { return round.occupied.contains(thing); });
}

}  // namespace

std::vector<PairOfPlaces> all_pairs(std::size_t places) {
  std::vector<PairOfPlaces> pairs;
  for (std::size_t a = 0; a < places; ++a) {
    for (std::size_t b = a + 1; b < places; ++b) pairs.emplace_back(a, b);
  }
  return pairs;
}

std::vector<PairOfPlaces> tournament(std::size_t places) {
  std::vector<PairOfPlaces> pairs;
  if (places < 2) return pairs;
  const std::size_t seats = places + places % 2;
  std::vector<std::size_t> table(seats);
  std::iota(table.begin(), table.end(), std::size_t{0});
  for (std::size_t round = 0; round + 1 < seats; ++round) {
    for (std::size_t i = 0; i < seats / 2; ++i) {
      const auto [low, high] = std::minmax(table[i], table[seats - 1 - i]);
      if (high < places) pairs.emplace_back(low, high);
    }
    std::rotate(table.begin() + 1, table.end() - 1, table.end());
  }
  return pairs;
}

std::vector<Round> rounds(const std::vector<PairOfPlaces>& pairs, const Occupies& occupies, std::size_t most) {
  std::vector<OpenRound> all;
  // For each thing, all rounds before this one have it already. Thousands of pairs share one network.
  std::map<std::size_t, std::size_t> first_without;
  for (const PairOfPlaces& pair : pairs) {
    const std::vector<std::size_t> occupied = occupies(pair);
    std::size_t from = occupied.empty() ? all.size() : 0;
    for (const std::size_t thing : occupied) {
      std::size_t& without = first_without[thing];
      while (without < all.size() && all[without].occupied.contains(thing)) ++without;
      from = std::max(from, without);
    }
    auto round = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(from), all.end(),
                              [&](const OpenRound& open) { return takes(open, pair, occupied, most); });
    if (round == all.end()) round = all.insert(all.end(), OpenRound());
    round->pairs.push_back(pair);
    round->occupied.insert(occupied.begin(), occupied.end());
    round->places.insert({pair.first, pair.second});
    round->closed = occupied.empty();
  }
  std::vector<Round> result;
  for (OpenRound& round : all) result.push_back(std::move(round.pairs));
  return result;
}

std::vector<std::size_t> links_between(const Topology& machine, const PairOfPlaces& pair) {
  const std::vector<LinkId> forth = machine.route(pair.first, pair.second);
  const std::vector<LinkId> back = machine.route(pair.second, pair.first);
  if (forth.empty() || back.empty()) return {};
  std::vector<std::size_t> links;
  for (const std::vector<LinkId>* way : {&forth, &back}) {
    for (const LinkId link : *way) links.push_back(link.index());
  }
  return links;
}

std::vector<Round> rounds(const Topology& machine, const std::vector<PairOfPlaces>& pairs, std::size_t most) {
  return rounds(
      pairs, [&](const PairOfPlaces& pair) { return links_between(machine, pair); }, most);
}

}  // namespace topowise::probe
