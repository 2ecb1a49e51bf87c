// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/traffic/traffic.hpp>

#include <doctest/doctest.h>

#include <topowise/base/error.hpp>
#include <topowise/graph/mapping.hpp>
#include <topowise/graph/traffic/exchange.hpp>

using namespace topowise;

namespace {

TrafficEntry entry(std::size_t from, std::size_t to, double bytes, std::uint64_t messages = 1) {
  return {Rank(from), Rank(to), Bytes(bytes), messages};
}

}  // namespace

TEST_CASE("counts of messages that are too large to add stay large") {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  const Traffic traffic = Traffic::from_entries(
      2, {{Rank(0), Rank(1), Bytes(5), kMost}, {Rank(0), Rank(1), Bytes(5), 2}, {Rank(1), Rank(0), Bytes(1), 3}});
  CHECK((*traffic.entries().begin()).messages == kMost);
}

TEST_CASE("bytes that add up to infinity are refused") {
  CHECK_THROWS_AS(
      (void)Traffic::from_entries(2, {{Rank(0), Rank(1), Bytes(1e308), 1}, {Rank(1), Rank(0), Bytes(1e308), 1}}),
      Error);
}

TEST_CASE("more ranks than there are ids are refused before memory is taken for them") {
  constexpr std::size_t kTooMany = (std::size_t{1} << 32) + 1;
  CHECK_THROWS_WITH_AS((void)Traffic::from_entries(kTooMany, {}),
                       "traffic of 4294967297 ranks; at most 4294967296 can be told apart", Error);
}

TEST_CASE("entries are sorted and those of one pair are added up") {
  const Traffic traffic =
      Traffic::from_entries(3, {entry(2, 0, 5), entry(0, 1, 3), entry(2, 0, 7, 2), entry(1, 2, 0, 0)});
  REQUIRE(traffic.entries().size() == 2);
  CHECK(traffic.entries()[0] == entry(0, 1, 3));
  CHECK(traffic.entries()[1] == entry(2, 0, 12, 3));
  CHECK(traffic.total_bytes() == Bytes(15));
  CHECK(traffic.bytes(Rank(2), Rank(0)) == Bytes(12));
  CHECK(traffic.bytes(Rank(0), Rank(2)) == Bytes(0));
  CHECK(traffic.sent_by(Rank(1)).empty());
  CHECK(traffic.ranks() == 3);
}

TEST_CASE("messages without bytes are kept, they are traffic too") {
  CHECK(Traffic::from_entries(2, {entry(0, 1, 0, 4)}).entries().size() == 1);
}

TEST_CASE("traffic that cannot be is refused") {
  CHECK_THROWS_WITH_AS((void)Traffic::from_entries(2, {entry(0, 2, 1)}),
                       "traffic names rank 2, but has only ranks 0 to 1", Error);
  CHECK_THROWS_AS((void)Traffic::from_entries(2, {entry(0, 1, -1)}), Error);
  CHECK_THROWS_AS((void)Traffic::from_entries(2, {entry(0, 1, NAN)}), Error);
  CHECK_THROWS_AS((void)Traffic::from_entries(0, {}), Error);
}

TEST_CASE("an exchange refuses messages to oneself and times that are not") {
  CHECK(Exchange({{Rank(0), Rank(3), Bytes(8), Seconds(0)}}).ranks() == 4);
  CHECK_THROWS_AS(Exchange({{Rank(1), Rank(1), Bytes(8), Seconds(0)}}), Error);
  CHECK_THROWS_AS(Exchange({{Rank(0), Rank(1), Bytes(8), Seconds(NAN)}}), Error);
  CHECK_THROWS_AS(Exchange({{Rank(0), Rank(1), Bytes(-8), Seconds(0)}}), Error);
}

TEST_CASE("a mapping is checked against the machine") {
  TopologyBuilder builder("two");
  const VertexId v = builder.add_vertex({.name = "v"});
  builder.add_place(PlaceKind::gpu, v, 1);
  builder.add_place(PlaceKind::gpu, v, 2);
  const Topology topology = std::move(builder).build();
  CHECK_NOTHROW(Mapping({Place(1), Place(0), Place(1)}).check(topology));
  CHECK_THROWS_AS(Mapping({Place(0), Place(0)}).check(topology), Error);
  CHECK_THROWS_WITH_AS(Mapping({Place(2)}).check(topology),
                       "the mapping puts rank 0 on place 2, but 'two' has only places 0 to 1", Error);
}
