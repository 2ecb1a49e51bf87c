// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>

#include <topowise/base/random.hpp>
#include <topowise/predict/congestion/max_min.hpp>

using namespace topowise;

namespace {

std::vector<double> rates_of(std::vector<double> capacities, const std::vector<std::vector<std::uint32_t>>& paths,
                             const std::vector<double>& limits = {}) {
  MaxMin model(std::move(capacities));
  std::vector<MaxMin::Message> messages;
  for (std::size_t m = 0; m < paths.size(); ++m) {
    messages.push_back({model.add(paths[m])});
    if (!limits.empty()) messages.back().limit = limits[m];
  }
  std::vector<double> result(messages.size(), -1.0);
  model.rates(messages, result);
  return result;
}

}  // namespace

TEST_CASE("max-min: textbook cases") {
  CHECK(rates_of({1}, {{0}}) == std::vector<double>{1});
  CHECK(rates_of({3, 3}, {{0, 1}, {0}, {1}, {1}}) == std::vector<double>{1, 2, 1, 1});
  CHECK(rates_of({10}, {{0}, {0}, {0}}, {1, 4, 100}) == std::vector<double>{1, 4, 5});
  CHECK(rates_of({10}, {{}}, {3}) == std::vector<double>{3});
  CHECK(rates_of({}, {}).empty());
}

TEST_CASE("max-min: every message is limited by a full link on which nobody has more, or by its own limit") {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> capacities(1 + random.below(8));
    for (double& capacity : capacities) capacity = 1 + random.below(20);
    std::vector<std::vector<std::uint32_t>> paths(1 + random.below(12));
    std::vector<double> limits;
    for (auto& path : paths) {
      for (std::uint32_t id = 0; id < capacities.size(); ++id) {
        if (random.below(3) == 0) path.push_back(id);
      }
      limits.push_back(1 + random.below(15));
    }
    const std::vector<double> rates = rates_of(capacities, paths, limits);
    std::vector<double> load(capacities.size(), 0.0);
    std::vector<double> most(capacities.size(), 0.0);
    for (std::size_t m = 0; m < paths.size(); ++m) {
      for (const std::uint32_t id : paths[m]) {
        load[id] += rates[m];
        most[id] = std::max(most[id], rates[m]);
      }
    }
    for (std::size_t id = 0; id < load.size(); ++id) REQUIRE(load[id] <= capacities[id] + 1e-9);
    for (std::size_t m = 0; m < paths.size(); ++m) {
      const bool bottleneck = std::ranges::any_of(
          paths[m], [&](std::uint32_t id) { return load[id] >= capacities[id] - 1e-9 && rates[m] >= most[id] - 1e-9; });
      REQUIRE((bottleneck || rates[m] >= limits[m] - 1e-9));
    }
  }
}
