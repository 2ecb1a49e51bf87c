// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/bound/least_cut.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include <tests/fixtures/machines.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

/// Bytes between ranks of different groups.
double cut(const Traffic& traffic, const std::vector<int>& group) {
  double sum = 0;
  for (const TrafficEntry& entry : traffic.entries()) {
    if (group[entry.source.index()] != group[entry.destination.index()]) sum += entry.bytes.value();
  }
  return sum;
}

/// The oracle: tries all ways to divide the ranks into groups of at most `largest`.
void least_cut(const Traffic& traffic, std::size_t rank, int groups, std::size_t largest, std::vector<int>& group,
               double& least) {
  if (rank == group.size()) {
    least = std::min(least, cut(traffic, group));
    return;
  }
  for (int g = 0; g <= groups; ++g) {
    if (static_cast<std::size_t>(std::count(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(rank), g)) ==
        largest)
      continue;
    group[rank] = g;
    least_cut(traffic, rank + 1, std::max(groups, g + 1), largest, group, least);
  }
}

/// The oracle: tries all ways to divide the ranks into groups of at most so many.
double least_unequal_cut(const Traffic& traffic, const std::vector<std::size_t>& capacities) {
  std::vector<int> group(traffic.ranks(), 0);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t way = 0; way < static_cast<std::size_t>(std::pow(capacities.size(), group.size())); ++way) {
    std::vector<std::size_t> room = capacities;
    bool fits = true;
    std::size_t rest = way;
    for (int& of_rank : group) {
      of_rank = static_cast<int>(rest % capacities.size());
      rest /= capacities.size();
      fits = fits && room[static_cast<std::size_t>(of_rank)]-- > 0;
      if (!fits) break;
    }
    if (fits) least = std::min(least, cut(traffic, group));
  }
  return least;
}

/// Stages of `replicas` ranks each: a ring through the replicas, all-to-alls among `experts` consecutive ones, and
/// rings of those with the same experts.
Traffic experts_job(std::size_t stages, std::size_t replicas, std::size_t experts, double ring, double all,
                    double same) {
  std::vector<TrafficEntry> entries;
  const auto send = [&](std::size_t from, std::size_t to, double bytes) {
    if (from != to && bytes > 0) entries.push_back({Rank(from), Rank(to), Bytes(bytes), 1});
  };
  for (std::size_t stage = 0; stage < stages; ++stage) {
    for (std::size_t at = 0; at < replicas; ++at) {
      const std::size_t rank = stage * replicas + at;
      send(rank, stage * replicas + (at + 1) % replicas, ring);
      if (experts < replicas) send(rank, stage * replicas + (at + experts) % replicas, same);
      for (std::size_t e = 0; e < experts; ++e) send(rank, stage * replicas + at / experts * experts + e, all);
      if (stage + 1 < stages) send(rank, rank + replicas, 4);
    }
  }
  return Traffic::from_entries(stages * replicas, entries);
}

double equal_cut(const Product& product, std::size_t ranks, std::size_t largest, std::size_t groups) {
  return product_cut(product, ranks,
                     std::vector<std::size_t>(std::max(groups, (ranks + largest - 1) / largest), largest));
}

struct Case {
  std::vector<int> extents;
  std::vector<double> weight;
  bool torus;
};

Product product_of(const Traffic& traffic) {
  const std::optional<Product> product = find_product(traffic);
  REQUIRE(product);
  CHECK(product->is_whole);
  return *product;
}

}  // namespace

TEST_CASE("product bound: never above the least cut of small products, whatever the size of the groups") {
  const std::vector<Case> cases{
      {{9}, {2}, false},       {{9}, {2}, true},       {{3, 3}, {1, 4}, false},       {{3, 3}, {1, 1}, true},
      {{2, 4}, {3, 1}, false}, {{4, 2}, {1, 1}, true}, {{2, 2, 2}, {1, 1, 1}, false}, {{2, 2, 2}, {5, 1, 2}, false},
      {{5, 2}, {1, 2}, true}};
  for (const Case& each : cases) {
    const Traffic traffic = grid(each.extents, each.weight, each.torus);
    const Product product = product_of(traffic);
    for (std::size_t largest = 1; largest <= 5; ++largest) {
      CAPTURE(largest);
      CAPTURE(traffic.ranks());
      std::vector<int> group(traffic.ranks(), 0);
      double least = std::numeric_limits<double>::infinity();
      least_cut(traffic, 0, 0, largest, group, least);
      CHECK(equal_cut(product, traffic.ranks(), largest, traffic.ranks()) <= least * (1 + 1e-9));
    }
  }
}

TEST_CASE("product bound: never above the least cut into unequal groups, and often as much") {
  const std::vector<std::vector<std::size_t>> machines{{4, 3, 2}, {6, 4, 2}, {5, 2, 2}, {7, 1, 1, 1}};
  const std::vector<Case> cases{
      {{9}, {2}, true}, {{3, 3}, {1, 4}, false}, {{2, 4}, {3, 1}, true}, {{4, 2}, {1, 1}, true}};
  int met = 0;
  for (const Case& each : cases) {
    const Traffic traffic = grid(each.extents, each.weight, each.torus);
    for (const std::vector<std::size_t>& capacities : machines) {
      const double least = least_unequal_cut(traffic, capacities);
      const double bound = product_cut(product_of(traffic), traffic.ranks(), capacities);
      CHECK(bound <= least * (1 + 1e-9));
      met += bound >= least * (1 - 1e-9) ? 1 : 0;
    }
  }
  CHECK(met >= 10);
  // 32 nodes of four stages and eight replicas below switches with 18, 14 and 7: none of 16 and 16 is possible.
  const Product job = product_of(grid({4, 8}, {1, 1}, false));
  CHECK(product_cut(job, 32, std::vector<std::size_t>{18, 14, 7}) >
        product_cut(job, 32, std::vector<std::size_t>{18, 18, 18}));
}

TEST_CASE("product bound: all-to-alls among experts, never above the least cut and often as much") {
  const std::vector<std::vector<std::size_t>> machines{{4, 3, 2}, {6, 4, 2}, {5, 2, 2}, {7, 1, 1, 1}, {4, 4}};
  const std::vector<Traffic> jobs{experts_job(1, 8, 8, 1, 3, 0), experts_job(1, 8, 4, 1, 3, 2),
                                  experts_job(2, 4, 4, 1, 3, 0), experts_job(1, 8, 4, 0, 3, 0),
                                  experts_job(1, 8, 2, 1, 9, 2), experts_job(1, 9, 3, 2, 5, 1),
                                  experts_job(2, 4, 2, 5, 2, 1), experts_job(1, 8, 4, 9, 1, 0)};
  int met = 0;
  for (const Traffic& traffic : jobs) {
    const std::optional<Product> product = find_product_of_groups(traffic);
    REQUIRE(product);
    for (const std::vector<std::size_t>& capacities : machines) {
      if (std::accumulate(capacities.begin(), capacities.end(), std::size_t{0}) < traffic.ranks()) continue;
      const double least = least_unequal_cut(traffic, capacities);
      const double bound = product_cut(*product, traffic.ranks(), capacities);
      CHECK(bound <= least * (1 + 1e-9));
      CHECK(bound >= 0.5 * least);
      met += bound >= least * (1 - 1e-9) ? 1 : 0;
    }
  }
  CHECK(met >= 10);
  // Groups of more than 256 ranks: two stages of 512 replicas, all-to-alls among 64, below two switches. Four replicas
  // of them are on the wrong side at least if a switch has 516 places and another 508.
  const std::optional<Product> large = find_product_of_groups(experts_job(2, 512, 64, 0, 3, 0));
  REQUIRE(large);
  CHECK(large->axes[0].of_all == 6);
  CHECK(product_cut(*large, 1024, std::vector<std::size_t>{512, 512}) <= 512 * 4);
  CHECK(product_cut(*large, 1024, std::vector<std::size_t>(16, 64)) == doctest::Approx(512 * 4));
}

TEST_CASE("product bound: an all-to-all over two axes, of which one has more bytes") {
  // Pairs of context-parallel ranks, and all-to-alls among the experts of two or four pairs.
  for (const std::size_t experts : {4, 8}) {
    std::vector<TrafficEntry> entries;
    for (std::size_t rank = 0; rank < 8; ++rank) {
      entries.push_back({Rank(rank), Rank(rank ^ 1), Bytes(7), 1});
      entries.push_back({Rank(rank), Rank((rank + 2) % 8), Bytes(2), 1});
      for (std::size_t e = rank / experts * experts; e < (rank / experts + 1) * experts; ++e)
        if (e != rank) entries.push_back({Rank(rank), Rank(e), Bytes(3), 1});
    }
    const Traffic traffic = Traffic::from_entries(8, entries);
    const std::optional<Product> product = find_product_of_groups(traffic);
    REQUIRE(product);
    REQUIRE(product->axes.size() >= 2);
    CHECK(product->axes[0].weight == 20);
    CHECK(product->axes[1].across == 6);
    CHECK(bytes_across(*product, 1, 8) == 6 * (experts == 8 ? 24 : 8));
    for (const std::vector<std::size_t>& capacities :
         {std::vector<std::size_t>{5, 3}, {4, 4}, {3, 3, 3}, {6, 1, 1}, {4, 3, 2}}) {
      const double least = least_unequal_cut(traffic, capacities);
      const double bound = product_cut(*product, 8, capacities);
      CHECK(bound <= least * (1 + 1e-9));
      CHECK(bound >= 0.6 * least);
    }
  }
}

TEST_CASE("products: an axis ends where its all-to-all or its heaviest pairs end") {
  const std::optional<Product> found = find_product_of_groups(experts_job(2, 16, 8, 2, 5, 3));
  REQUIRE(found);
  REQUIRE(found->axes.size() == 3);
  CHECK(found->axes[0].size == 8);
  CHECK(found->axes[0].of_all == 10);
  CHECK(found->axes[0].weight == 2);
  CHECK_FALSE(found->axes[0].is_cycle);  // the ring goes on to the other experts
  CHECK(found->axes[1].size == 2);
  CHECK(found->axes[1].weight == 6);  // two ranks send to each other
  CHECK(found->axes[1].link == 2);
  CHECK(found->axes[1].is_ring);
  CHECK(bytes_of_links(*found, 1, 32) == 2 * 2 * 2);
  CHECK(found->axes[2].weight == 4);
  CHECK(found->axes[2].link == 0);
  CHECK(bytes_along(found->axes[0], 32) == 4 * (7 * 2 + 28 * 10));
  const std::optional<Product> all = find_product_of_groups(experts_job(2, 8, 8, 2, 5, 3));
  REQUIRE(all);
  CHECK(all->axes[0].is_cycle);
  CHECK(all->axes[0].weight == 2);
  const std::optional<Product> pairs = find_product_of_groups(experts_job(1, 8, 2, 1, 9, 2));
  REQUIRE(pairs);
  CHECK(pairs->axes[0].size == 2);
  CHECK(pairs->axes[0].weight == 19);
  CHECK_FALSE(find_product_of_groups(grid({4, 6, 3}, {5, 7, 9}, true)));
  CHECK_FALSE(find_product_of_groups(Traffic::from_entries(4, {})));
}

TEST_CASE("product bound: met by boxes of the best shape") {
  // 8 x 4, with the long axis three times as heavy; the best boxes are 2 x 1, 4 x 1, 4 x 2 and 8 x 2.
  const Product stencil = product_of(grid({8, 4}, {3, 1}, false));
  CHECK(equal_cut(stencil, 32, 2, 16) == doctest::Approx(2 * (3 * (28 - 16) + 24)));
  CHECK(equal_cut(stencil, 32, 4, 8) == doctest::Approx(2 * (3 * 4 + 24)));
  CHECK(equal_cut(stencil, 32, 8, 4) == doctest::Approx(2 * (3 * 4 + 8)));
  // Subcubes of a hypercube: for every dimension that is cut, one edge of each rank leaves its subcube.
  const Product cube = product_of(grid({2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}, false));
  for (std::size_t cut_dimensions = 1; cut_dimensions <= 5; ++cut_dimensions)
    CHECK(equal_cut(cube, 32, std::size_t{32} >> cut_dimensions, std::size_t{1} << cut_dimensions) ==
          doctest::Approx(32.0 * static_cast<double>(cut_dimensions)));
  // A group of whole cycles, here the whole torus 4 x 4 x 2, cuts nothing.
  CHECK(equal_cut(product_of(grid({4, 4, 2}, {1, 1, 1}, true)), 32, 32, 1) == 0);
  // Three stages, 12 replicas, and 8 shards that talk most: a group is two replicas with all their shards.
  const Product training = product_of(grid({3, 12, 8}, {1, 10, 1000}, false));
  CHECK(equal_cut(training, 288, 16, 18) == doctest::Approx(2 * (1 * 2 * 96 + 10 * 3 * 5 * 8)));
}

TEST_CASE("product bound: sizes that no box has, and groups that cannot all be full") {
  // 60 ranks in 8 groups of at most 8: seven groups of 8 ranks keep 10 edges each, and one of 4 ranks keeps 4; the
  // other 46 of 120 edges are cut.
  CHECK(equal_cut(product_of(grid({12, 5}, {1, 1}, true)), 60, 8, 8) == doctest::Approx(2 * 46));
  CHECK(equal_cut(product_of(grid({10, 6}, {1, 1}, false)), 60, 16, 4) == doctest::Approx(2 * 15));
  // One group more than needed: three ranks each, or 4, 4 and 1.
  CHECK(equal_cut(product_of(grid({9}, {2}, false)), 9, 4, 3) == doctest::Approx(4 * 2));
  // 64 boxes of 8 x 8 fill the torus of 64 x 64: each keeps 2 * 7 * 8 of the 2 * 4096 edges.
  const Product large = product_of(grid({64, 64}, {1, 1}, true));
  CHECK(equal_cut(large, 4096, 64, 64) == doctest::Approx(2 * (2 * 4096 - 64 * 2 * 7 * 8)));
}

TEST_CASE("products: the shape is read off the traffic in the order of ranks") {
  const std::optional<Product> found = find_product(grid({4, 6, 3}, {5, 7, 9}, true));
  REQUIRE(found);
  REQUIRE(found->axes.size() == 3);
  CHECK(found->is_whole);
  CHECK(found->axes[0].size == 3);
  CHECK(found->axes[0].weight == 18);
  CHECK(found->axes[0].is_cycle);
  CHECK(found->axes[1].stride == 3);
  CHECK(found->axes[2].stride == 18);
  CHECK(edges_along(found->axes[2], 72) == 72);
  // An axis along which nothing is sent: three rings of four.
  std::vector<TrafficEntry> rings;
  for (std::size_t ring = 0; ring < 3; ++ring) {
    for (std::size_t at = 0; at < 4; ++at)
      rings.push_back({Rank(ring + 3 * at), Rank(ring + 3 * ((at + 1) % 4)), Bytes(2), 1});
  }
  const std::optional<Product> silent = find_product(Traffic::from_entries(12, rings));
  REQUIRE(silent);
  REQUIRE(silent->axes.size() == 2);
  CHECK(silent->axes[0].weight == 0);
  CHECK(silent->axes[1].is_cycle);
}

TEST_CASE("products: what is no product is none, and more than a product counts as its least") {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    const Traffic traffic = random_traffic(2 + random.below(10), 0.4, random);
    const std::optional<Product> product = find_product(traffic);
    if (!product) continue;
    for (std::size_t largest = 1; largest <= 3; ++largest) {
      std::vector<int> group(traffic.ranks(), 0);
      if (traffic.ranks() > 8) continue;
      double least = std::numeric_limits<double>::infinity();
      least_cut(traffic, 0, 0, largest, group, least);
      CHECK(equal_cut(*product, traffic.ranks(), largest, traffic.ranks()) <= least * (1 + 1e-9));
    }
  }
  CHECK_FALSE(find_product(Traffic::from_entries(1, {})));
  CHECK_FALSE(find_product(Traffic::from_entries(4, {})));
  std::vector<TrafficEntry> uneven;
  for (std::size_t r = 0; r + 1 < 6; ++r) uneven.push_back({Rank(r), Rank(r + 1), Bytes(r == 2 ? 1.0 : 5.0), 1});
  const std::optional<Product> path = find_product(Traffic::from_entries(6, uneven));
  REQUIRE(path);
  CHECK(path->axes[0].weight == 1);
  CHECK_FALSE(path->is_whole);
}
