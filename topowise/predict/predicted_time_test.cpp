// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include <tests/paper_machines.hpp>
#include <topowise/predict/predicted_time.hpp>

using namespace topowise;
using namespace topowise::testing;

namespace {

Traffic pairs(std::size_t ranks, const std::vector<std::pair<std::size_t, std::size_t>>& messages) {
  std::vector<TrafficEntry> entries;
  for (const auto& [from, to] : messages) entries.push_back({Rank(from), Rank(to), Bytes(1e8), 1});
  return Traffic::from_entries(ranks, std::move(entries));
}

}  // namespace

TEST_CASE("predicted time: partners come together on a board") {
  const Topology topology = t2_machine();
  PredictedTime time(pairs(8, {{0, 4}, {4, 0}, {1, 5}, {5, 1}, {2, 6}, {6, 2}, {3, 7}, {7, 3}}), topology);
  const Mapping identity = identity_mapping(8);
  const double alone = 1e8 / kPaperBandwidth.value();
  CHECK(time(identity).value() > 4 * alone);
  const auto found = time.refine(std::span(&identity, 1), {}, 10'000);
  CHECK(found.seconds.value() == doctest::Approx(alone));
  CHECK(time(found.mapping) == found.seconds);
}

TEST_CASE("predicted time: never slower than a candidate, and only on allowed places") {
  const Topology topology = t2_machine();
  PredictedTime time(pairs(3, {{0, 1}, {1, 2}, {2, 0}}), topology);
  const std::vector<Mapping> candidates{Mapping({Place(0), Place(2), Place(6)}),
                                        Mapping({Place(2), Place(3), Place(6)})};
  const std::vector<Place> allowed{Place(0), Place(2), Place(3), Place(6), Place(7)};
  const auto found = time.refine(candidates, allowed, 1000);
  for (const Mapping& candidate : candidates) CHECK(found.seconds <= time(candidate));
  std::set<Place> used;
  for (const Place place : found.mapping.places()) {
    CHECK(std::ranges::find(allowed, place) != allowed.end());
    used.insert(place);
  }
  CHECK(used.size() == 3);
  CHECK(time.refine(candidates, allowed, 2).predictions == 2);
}
