// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/bound/least_cut.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include <tests/fixtures/machines.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

double kept(const Traffic& traffic, std::uint32_t set) {
  double sum = 0;
  for (const TrafficEntry& entry : traffic.entries()) {
    const bool inside = (set >> entry.source.index() & 1U) != 0 && (set >> entry.destination.index() & 1U) != 0;
    if (inside && entry.source != entry.destination) sum += entry.bytes.value();
  }
  return sum;
}

/// The oracle: tries all sets of each size.
std::vector<double> most_kept(const Traffic& traffic) {
  std::vector<double> most(traffic.ranks() + 1, 0.0);
  for (std::uint32_t set = 1; set < 1U << traffic.ranks(); ++set) {
    double& best = most[static_cast<std::size_t>(std::popcount(set))];
    best = std::max(best, kept(traffic, set));
  }
  return most;
}

Traffic random_traffic(std::size_t ranks, std::size_t entries, std::uint32_t weights, Random& random) {
  std::vector<TrafficEntry> all;
  for (std::size_t i = 0; i < entries; ++i) {
    const Rank from(random.below(static_cast<std::uint32_t>(ranks)));
    const Rank to(random.below(static_cast<std::uint32_t>(ranks)));
    all.push_back({from, to, Bytes(1.0 + random.below(weights)), 1});
  }
  return Traffic::from_entries(ranks, std::move(all));
}

}  // namespace

TEST_CASE("small sets: never keep more than is said, whatever the traffic") {
  Random random(11);
  std::vector<Traffic> all{grid({3, 4}, {1, 1}, false), grid({2, 2, 3}, {5, 1, 2}, false), grid({12}, {1}, true),
                           grid({3, 4}, {3, 1}, true)};
  for (int round = 0; round < 24; ++round) all.push_back(random_traffic(10, 8 + random.below(40), 1 + round, random));
  for (const Traffic& traffic : all) {
    const SmallSets sets{Partners(traffic)};
    const std::vector<double> most = most_kept(traffic);
    for (std::size_t size = 1; size <= traffic.ranks(); ++size) CHECK(sets.kept_by(size) >= most[size] - 1e-9);
  }
}

TEST_CASE("small sets: a square and a cube are the best of four and eight vertices of a grid") {
  const SmallSets flat{Partners(grid({8, 8}, {1, 1}, true))};
  CHECK(flat.kept_by(4) == 2 * 4);
  const SmallSets deep{Partners(grid({6, 6, 6}, {1, 1, 1}, true))};
  CHECK(deep.kept_by(8) == 2 * 12);
}
