// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/probe/figure.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace topowise::probe {
namespace {

constexpr std::size_t kFewest = 5;
constexpr double kFarOut = 3.0;
constexpr double kLeastReach = 0.05;  ///< share of the median: clocks with coarse ticks have quartiles that are equal

/// A quantile of a sorted list; between two neighbours it lies in proportion.
double quantile(std::span<const double> sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

}  // namespace

Figure summarise(std::span<const double> samples) {
  if (samples.empty()) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  if (sorted.size() >= kFewest) {
    const double low = quantile(sorted, 0.25);
    const double high = quantile(sorted, 0.75);
    const double reach = std::max(kFarOut * (high - low), kLeastReach * quantile(sorted, 0.5));
    std::erase_if(sorted, [&](double value) { return value < low - reach || value > high + reach; });
  }
  Figure figure;
  figure.count = sorted.size();
  figure.outliers = samples.size() - sorted.size();
  figure.median = quantile(sorted, 0.5);
  const auto n = static_cast<double>(sorted.size());
  figure.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : sorted) squares += (value - figure.mean) * (value - figure.mean);
  figure.spread = sorted.size() > 1 ? std::sqrt(squares / (n - 1)) : 0.0;
  return figure;
}

}  // namespace topowise::probe
