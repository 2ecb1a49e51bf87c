// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/link_load.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/machines.hpp>

#include <topowise/base/error.hpp>
#include <topowise/predict/objective/objective.hpp>

using namespace topowise;
using namespace topowise::fixtures;

TEST_CASE("every link of a route carries the bytes, each direction for itself") {
  const Topology machine = tree({2, 2});  // links: 0.5 GB/s at the root, 1 GB/s at the places
  const Traffic traffic = Traffic::from_entries(4, {{Rank(0), Rank(3), Bytes(6e9)}, {Rank(1), Rank(0), Bytes(10e9)}});
  const std::vector<Bytes> load = link_load(traffic, machine, identity(4));
  Bytes in_all;
  for (const Bytes bytes : load) in_all += bytes;
  CHECK(in_all == Bytes(4 * 6e9 + 2 * 10e9));

  const MaxCongestion fullest = max_congestion(machine, load);
  CHECK(fullest.seconds == Seconds(12));  // 6 GB through a link of 0.5 GB/s
  REQUIRE(fullest.fullest);
  const Link& link = machine.link(*fullest.fullest);
  CHECK(link.bandwidth == gigabytes_per_second(0.5));
  CHECK(evaluate(Objective::max_congestion, traffic, machine, identity(4), Metric::distance) == 12);
}

TEST_CASE("no traffic between places, no congestion") {
  const Topology machine = tree({2, 2}, 2);
  const Traffic traffic = Traffic::from_entries(2, {{Rank(0), Rank(1), Bytes(6)}});
  const std::vector<Bytes> load = link_load(traffic, machine, Mapping({Place(1), Place(1)}));
  CHECK(max_congestion(machine, load).seconds == Seconds(0));
  CHECK_FALSE(max_congestion(machine, load).fullest);
}

TEST_CASE("what is not known is named") {
  const Traffic traffic = Traffic::from_entries(2, {{Rank(0), Rank(1), Bytes(6)}});
  CHECK_THROWS_WITH_AS((void)link_load(traffic, from_distances({0, 1, 1, 0}, {1, 1}), identity(2)),
                       "'matrix' has no route from 'p' to 'p'", Error);

  TopologyBuilder builder("slow");
  const VertexId a = builder.add_vertex({.name = "a"});
  const VertexId b = builder.add_vertex({.name = "b", .parent = a});
  builder.add_links({.from = a, .to = b});
  const std::vector<Place> places{builder.add_place(PlaceKind::slot, a), builder.add_place(PlaceKind::slot, b)};
  const Topology unknown = std::move(builder).build();
  const std::vector<Bytes> load = link_load(traffic, unknown, identity(2));
  const char* what = "the bandwidth of the link from 'a' to 'b' of 'slow' is not known";
  CHECK_THROWS_WITH_AS((void)max_congestion(unknown, load), what, Error);
  CHECK_THROWS_WITH_AS(check_congestion_known(unknown, places), what, Error);
}
