// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <vector>

#include <tests/paper_machines.hpp>
#include <topowise/base/random.hpp>
#include <topowise/predict/congestion/simulate.hpp>
#include <topowise/predict/objective/predicted_time.hpp>

using namespace topowise;
using namespace topowise::testing;

namespace {

constexpr double kBytes = 1e8;

Traffic pairs(std::size_t ranks, const std::vector<std::pair<std::size_t, std::size_t>>& messages) {
  std::vector<TrafficEntry> entries;
  for (const auto& [from, to] : messages) entries.push_back({Rank(from), Rank(to), Bytes(kBytes), 1});
  return Traffic::from_entries(ranks, std::move(entries));
}

std::vector<Place> first_places(std::size_t count) {
  std::vector<Place> places;
  for (std::size_t p = 0; p < count; ++p) places.emplace_back(p);
  return places;
}

}  // namespace

TEST_CASE("predicted time: that of the exchange in the order of destinations") {
  const Topology topology = t2_machine();
  PredictedTime time(pairs(8, {{0, 4}, {4, 0}, {1, 5}, {0, 2}, {3, 3}}), topology);
  CongestionModel model(topology, CongestionModelName::automatic);
  RateMemo memo(model);
  const Exchange exchange({message(0, 2, kBytes), message(0, 4, kBytes), message(1, 5, kBytes), message(4, 0, kBytes)});
  CHECK(time(identity_mapping(8)) == simulate(memo, exchange, identity_mapping(8)).makespan);
}

TEST_CASE("predicted time: steps count what calls take, and follow from the calls alone") {
  const Traffic traffic = pairs(8, {{0, 4}, {4, 0}, {1, 5}, {0, 2}, {3, 3}});
  PredictedTime time(traffic, t2_machine());
  CHECK(time.steps() == 0);
  (void)time(identity_mapping(8));
  const double first = time.steps();
  CHECK(first > 0);
  (void)time(identity_mapping(8));
  const double second = time.steps() - first;
  CHECK(second > 0);
  CHECK(second < first);  // the rates of all sets are already known
  PredictedTime again(traffic, t2_machine());
  (void)again(identity_mapping(8));
  CHECK(again.steps() == first);
}

TEST_CASE("predicted time: the bound is that of a rank which sends or receives alone") {
  const double alone = kBytes / kPaperBandwidth.value();
  PredictedTime sends(pairs(8, {{0, 1}, {0, 2}, {0, 3}}), t2_machine());
  CHECK(sends.lower_bound(first_places(8), 1).value() == doctest::Approx(3 * alone));
  CHECK(sends.lower_bound(first_places(8), 2).value() == doctest::Approx(2 * alone));  // one partner shares the place
  PredictedTime receives(pairs(8, {{1, 0}, {2, 0}, {3, 0}, {4, 0}}), t2_machine());
  CHECK(receives.lower_bound(first_places(8), 1).value() == doctest::Approx(4 * alone));
  // Two places on two boards that meet only at the root complex.
  const std::vector<Place> apart{Place(0), Place(4)};
  CHECK(PredictedTime(pairs(2, {{0, 1}}), t2_machine()).lower_bound(apart, 1).value() ==
        doctest::Approx(alone / (1 - kPaperTau)));
}

TEST_CASE("predicted time: no mapping goes below the bound") {
  Random random(31);
  for (int round = 0; round < 30; ++round) {
    CAPTURE(round);
    const Topology topology = round % 3 == 0   ? t1_machine()
                              : round % 3 == 1 ? t2_machine()
                                               : two_socket_machine(BytesPerSecond(9e9));
    const std::size_t places = topology.place_count();
    std::vector<TrafficEntry> entries;
    for (int m = 0; m < 10; ++m) {
      entries.push_back({Rank(random.below(static_cast<std::uint32_t>(places))),
                         Rank(random.below(static_cast<std::uint32_t>(places))), Bytes(1e6 * (1 + random.below(9))),
                         1});
    }
    PredictedTime time(Traffic::from_entries(places, entries), topology);
    const double bound = time.lower_bound(first_places(places), 1).value();
    std::vector<Place> mapped = first_places(places);
    for (int trial = 0; trial < 20; ++trial) {
      random.shuffle(std::span(mapped));
      CHECK(time(Mapping(mapped)).value() >= bound * (1 - 1e-12));
    }
  }
}
