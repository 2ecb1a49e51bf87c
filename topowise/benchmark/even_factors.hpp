// SPDX-License-Identifier: BSD-3-Clause
// The extents of a grid for a number of ranks.
#pragma once

#include <vector>

namespace topowise::benchmark {

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
