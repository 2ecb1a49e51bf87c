// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <tests/fixtures/mapping_problems.hpp>
#include <topowise/mapper/multilevel/multisection.hpp>

using namespace topowise;
using namespace topowise::multilevel;

namespace {

Traffic random_traffic(std::uint32_t ranks, std::uint64_t seed) {
  constexpr int kPartners = 6;
  Random random(seed);
  std::vector<TrafficEntry> entries;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (int i = 0; i < kPartners; ++i)
      entries.push_back({Rank(rank), Rank(random.below(ranks)), Bytes(1 + random.below(9)), 1});
  }
  return Traffic::from_entries(ranks, std::move(entries));
}

}  // namespace

TEST_CASE("multisection: divisions with one search each are the same with any number of threads" *
          doctest::test_suite("threads")) {
  const Topology machine = uniform_tree({5, 4, 3});
  const Traffic traffic = random_traffic(600, 7);
  const MapProblem problem{.traffic = traffic, .topology = machine, .ranks_per_place = 10};
  const Deadline never = Deadline::never();
  const Host host(problem, never);
  const Graph graph = symmetric_graph(traffic);
  const auto divided = [&](int threads) {
    Random random(3);
    const Effort effort{.members = 1, .generations = 0, .threads = threads};
    return multisection(graph, host, host.capacity(), 1, effort, never, random).divided.at(0);
  };
  const std::vector<int> alone = divided(1);
  std::vector<int> ranks_of(host.blocks(), 0);
  for (const int block : alone) ++ranks_of.at(static_cast<std::size_t>(block));
  for (const int ranks : ranks_of) CHECK(ranks == 10);
  for (const int threads : {2, 3, 8}) CHECK(divided(threads) == alone);
}
