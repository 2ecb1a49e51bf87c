// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/workload.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <functional>
#include <numeric>

#include <topowise/base/error.hpp>
#include <topowise/traffic_source/pattern/pattern.hpp>

namespace topowise::benchmark {
namespace {

constexpr std::size_t kMostRanks = 1 << 20;

/// The shape, such as "4x2x2"; empty if there is none for that many ranks.
std::string shape_of(const std::string& name, std::size_t ranks) {
  if (ranks < 2 || ranks > kMostRanks) return {};
  if (name == "hypercube") return std::has_single_bit(ranks) ? std::to_string(std::countr_zero(ranks)) : std::string();
  const int whole = static_cast<int>(ranks);
  return fmt::format("{}", fmt::join(even_factors(whole, name == "torus3d" ? 3 : 2, whole), "x"));
}

}  // namespace

Workload cartesian(const std::string& pattern) {
  const auto traffic = [pattern](int weight, std::size_t bytes) {
    return pattern_traffic(fmt::format("{}{}:heavy=0:w={}:bytes={}", kPatternPrefix, pattern, weight, bytes));
  };
  return {pattern, traffic(1, 1).ranks(), traffic};
}

Workload microbenchmark(const std::string& name, std::size_t ranks) {
  const std::string shape = shape_of(name, ranks);
  if (shape.empty())
    throw usage_error(fmt::format("{} ranks make no {}", ranks, name),
                      name == "hypercube" ? "a power of two: 8, 16, 32" : "a product of numbers above 1: 8, 12, 16");
  return cartesian(fmt::format("{}:{}", name, shape));
}

Workload all_to_all_along_first(const std::vector<std::size_t>& extents) {
  const std::size_t ranks = std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
  const std::size_t line = extents.front();
  const std::size_t stride = ranks / line;
  const auto traffic = [ranks, line, stride](int /*weight*/, std::size_t bytes) {
    std::vector<TrafficEntry> entries;
    for (std::size_t source = 0; source < ranks; ++source) {
      for (std::size_t i = 0; i < line; ++i) {
        const std::size_t destination = i * stride + source % stride;
        if (destination != source)
          entries.push_back({Rank(source), Rank(destination), Bytes(static_cast<double>(bytes)), 1});
      }
    }
    return Traffic::from_entries(ranks, std::move(entries));
  };
  return {fmt::format("alltoall:{}", fmt::join(extents, "x")), ranks, traffic};
}

}  // namespace topowise::benchmark
