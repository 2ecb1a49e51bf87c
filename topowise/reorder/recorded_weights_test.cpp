// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/recorded_weights.hpp>

#include <doctest/doctest.h>

#include <array>

using namespace topowise;

namespace {

Traffic traffic(std::size_t ranks, std::initializer_list<std::array<std::size_t, 3>> entries) {
  std::vector<TrafficEntry> made;
  for (const auto& [from, to, bytes] : entries)
    made.push_back({Rank(from), Rank(to), Bytes(static_cast<double>(bytes)), 1});
  return Traffic::from_entries(ranks, std::move(made));
}

}  // namespace

TEST_CASE("what the members of a communicator sent each other") {
  const Traffic job = traffic(6, {{0, 1, 10}, {4, 2, 20}, {2, 4, 30}, {4, 0, 40}, {2, 2, 50}});
  const std::array<std::int32_t, 3> members{4, 1, 2};
  const Traffic weights = recorded_weights(job, members, 3);
  CHECK(weights.entries().size() == 2);
  CHECK(weights.bytes(Rank(0), Rank(2)).value() == 20);
  CHECK(weights.bytes(Rank(2), Rank(0)).value() == 30);
}

TEST_CASE("processes without a vertex, of another job, or that were not recorded, sent nothing") {
  const Traffic job = traffic(3, {{0, 1, 10}, {1, 2, 20}, {2, 0, 30}});
  const std::array<std::int32_t, 4> members{0, -32766, 7, 2};
  CHECK(recorded_weights(job, members, 4).bytes(Rank(3), Rank(0)).value() == 30);
  CHECK(recorded_weights(job, members, 4).entries().size() == 1);
  CHECK(recorded_weights(job, members, 3).total_bytes().value() == 0);
}
