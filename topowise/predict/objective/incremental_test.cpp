// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/incremental.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/machines.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

/// Makes random swaps and moves, and compares every gain and cost with the objective computed from scratch.
void compare(Objective objective, const Traffic& traffic, const Topology& machine, Random& random) {
  const auto any = [&](std::size_t n) { return random.below(static_cast<std::uint32_t>(n)); };
  const Partners partners(traffic);
  std::vector<Place> start;
  for (std::size_t r = 0; r < traffic.ranks(); ++r) start.emplace_back(any(machine.place_count()));
  const ObjectiveMix mix{.hop_share = 0.3, .hop_bytes = 2e6, .congestion = 1e-3};
  const auto from_scratch = [&](const Mapping& mapping) {
    return evaluate(objective, traffic, machine, mapping, Metric::distance, mix);
  };
  const auto cost = incremental_cost(objective, traffic, partners, machine, Mapping(start), Metric::distance, mix);
  CHECK(cost->cost() == doctest::Approx(from_scratch(Mapping(start))));
  for (int step = 0; step < 60; ++step) {
    const Rank a(any(traffic.ranks()));
    const Rank b(any(traffic.ranks()));
    const Place to(any(machine.place_count()));
    const double before = from_scratch(cost->mapping());
    const bool swaps = step % 2 == 0;
    const double gain = swaps ? cost->swap_gain(a, b) : cost->move_gain(a, to);
    CHECK(from_scratch(cost->mapping()) == before);  // a query changes nothing
    if (swaps) {
      cost->swap(a, b);
    } else {
      cost->move(a, to);
    }
    const double after = from_scratch(cost->mapping());
    CHECK(gain == doctest::Approx(before - after).epsilon(1e-9));
    CHECK(cost->cost() == doctest::Approx(after).epsilon(1e-9));
  }
}

}  // namespace

TEST_CASE("hop-bytes gains equal the difference from scratch") {
  Random random(7);
  for (int round = 0; round < 20; ++round) {
    const Traffic traffic = random_traffic(2 + round, 0.4, random);
    compare(Objective::hop_bytes, traffic, random_matrix(5, 3, random), random);
    compare(Objective::hop_bytes, traffic, tree({2, 3}), random);
  }
}

TEST_CASE("gains of congestion, and of a mix, equal the difference from scratch") {
  for (const Objective objective : {Objective::max_congestion, Objective::mix}) {
    Random random(8);
    for (int round = 0; round < 20; ++round) {
      const Traffic traffic = random_traffic(2 + round, 0.4, random);
      compare(objective, traffic, tree({2, 2, 2}), random);
      compare(objective, traffic, ring(6, random), random);
    }
  }
}

TEST_CASE("smoothing tells mappings of the same congestion apart") {
  // Ranks 0 and 1 fill the fullest link; ranks 2 and 3 may be on places below one switch, or talk across the root.
  const Topology machine = tree({2, 2, 2});
  const Traffic traffic = Traffic::from_entries(4, {{Rank(0), Rank(1), Bytes(100e9)}, {Rank(2), Rank(3), Bytes(1e9)}});
  const Partners partners(traffic);
  const Mapping apart({Place(0), Place(4), Place(2), Place(6)});
  const auto plain = incremental_congestion(traffic, partners, machine, apart);
  const auto smooth = incremental_congestion(traffic, partners, machine, apart, 1e-3);
  CHECK(plain->move_gain(Rank(3), Place(3)) == doctest::Approx(4.0));  // the message leaves the root's link
  CHECK(smooth->cost() > plain->cost());
  plain->move(Rank(3), Place(1));
  smooth->move(Rank(3), Place(1));
  CHECK(plain->move_gain(Rank(3), Place(3)) == 0.0);
  CHECK(smooth->move_gain(Rank(3), Place(3)) > 0.0);
}

TEST_CASE("partners join both directions") {
  const Traffic traffic = Traffic::from_entries(3, {{Rank(0), Rank(1), Bytes(1)},
                                                    {Rank(1), Rank(0), Bytes(2)},
                                                    {Rank(2), Rank(1), Bytes(4)},
                                                    {Rank(2), Rank(2), Bytes(8)}});
  const Partners partners(traffic);
  REQUIRE(partners.of(Rank(1)).size() == 2);
  CHECK(partners.of(Rank(1))[0].sent == 2);
  CHECK(partners.of(Rank(1))[0].received == 1);
  CHECK(partners.of(Rank(1))[1].both() == 4);
  CHECK(partners.of(Rank(2)).size() == 1);
}
