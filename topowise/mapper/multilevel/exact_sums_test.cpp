// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/multilevel/exact_sums.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <topowise/base/random.hpp>

using namespace topowise;
using namespace topowise::multilevel;

namespace {

/// A path whose edges have these weights.
Graph path(const std::vector<double>& weights) {
  Graph graph;
  graph.load.assign(weights.size() + 1, 1);
  for (std::size_t v = 0; v <= weights.size(); ++v) {
    if (v > 0) graph.arcs.push_back({static_cast<GuestVertex>(v - 1), weights[v - 1]});
    if (v < weights.size()) graph.arcs.push_back({static_cast<GuestVertex>(v + 1), weights[v]});
    graph.first.push_back(static_cast<std::int64_t>(graph.arcs.size()));
  }
  return graph;
}

/// Whether a sum of products of weights and costs is the same in any order of its terms.
bool is_exact(const std::vector<double>& weights, const std::vector<double>& costs, Random& random) {
  std::vector<double> terms;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double term = weights[i] * costs[random.below(static_cast<std::uint32_t>(costs.size()))];
    terms.push_back(i % 2 == 0 ? term : -term);
  }
  double sum = 0;
  for (const double term : terms) sum += term;
  random.shuffle(std::span(terms));
  double other = 0;
  for (const double term : terms) other += term;
  return sum == other;
}

}  // namespace

TEST_CASE("exact sums: whole numbers of bytes and hops are left as they are") {
  const ExactUnits units = exact_units(path({1, 1e6, 3e9}), std::vector<double>{0, 1, 10, 100});
  CHECK(units.weight == 0);
  CHECK(units.cost == 0);
  CHECK(rounded_to(0.1, 0) == 0.1);
}

TEST_CASE("exact sums: no traffic and no distance need no unit") {
  CHECK(exact_units(path({}), {}).weight == 0);
  CHECK(exact_units(path({1e300}), std::vector<double>{0, 0}).weight == 0);
}

TEST_CASE("exact sums: in units, sums of any weights and costs are exact, and nothing above 0 is lost") {
  Random random(3);
  int inexact = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<double> weights;
    for (int i = 0; i < 50; ++i)
      weights.push_back(std::pow(10.0, random.below(20)) * (round % 2 == 0 ? 1 : random.unit()));
    std::vector<double> costs{0};
    for (int i = 0; i < 5; ++i) costs.push_back(random.unit() * std::pow(10.0, random.below(6)));
    inexact += is_exact(weights, costs, random) ? 0 : 1;
    const ExactUnits units = exact_units(path(weights), costs);
    REQUIRE(units.weight > 0);
    for (double& weight : weights) weight = rounded_to(weight, units.weight);
    for (double& cost : costs) cost = rounded_to(cost, units.cost);
    CHECK(is_exact(weights, costs, random));
    CHECK(std::ranges::count(weights, 0.0) == 0);
    CHECK(std::ranges::count(costs, 0.0) == 1);
  }
  CHECK(inexact > 100);  // otherwise the test shows nothing
}
