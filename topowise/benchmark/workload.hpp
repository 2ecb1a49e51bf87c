// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a benchmark send each other.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>

namespace topowise::benchmark {

struct Workload {
  std::string name;  ///< "torus2d:4x4"
  std::size_t ranks = 0;
  /// One message for each pair: of `bytes` bytes, and of `weight` times as many along the heavy dimension.
  std::function<Traffic(int weight, std::size_t bytes)> traffic;
};

/// stencil2d, torus2d, torus3d or hypercube in the most even shape for that many ranks, the first dimension heavy.
/// Throws Error(usage) for a number of ranks that has none.
[[nodiscard]] Workload microbenchmark(const std::string& name, std::size_t ranks);

/// A pattern of traffic_source with its extents: "torus2d:8x4". The first dimension is heavy.
[[nodiscard]] Workload cartesian(const std::string& pattern);

/// Ranks of a grid, in row-major order, that agree in all but the first coordinate send each other `bytes`, all to all;
/// the weight has no meaning.
[[nodiscard]] Workload all_to_all_along_first(const std::vector<std::size_t>& extents);

// The extents of a grid for a number of ranks.

/// The most even way to write n as a product of `factors` numbers above 1, none above `largest`, largest first; empty
/// if there is none.
[[nodiscard]] inline std::vector<int> even_factors(int n, int factors, int largest) {
  if (factors == 1) return n > 1 && n <= largest ? std::vector{n} : std::vector<int>{};
  for (int first = 2; first <= n && first <= largest; ++first) {
    if (n % first != 0) continue;
    std::vector<int> rest = even_factors(n / first, factors - 1, first);
    if (rest.empty()) continue;
    rest.insert(rest.begin(), first);
    return rest;
  }
  return {};
}

}  // namespace topowise::benchmark
