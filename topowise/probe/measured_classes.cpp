// SPDX-License-Identifier: BSD-3-Clause
// A pair's figure is the geometric mean, over the sizes that count for the metrics, of its shortest time one way: a
// wire that is twice as slow for small messages counts as much as one that is twice as slow for large ones, and what
// else runs on a host only makes messages longer. Sorted, the figures fall into clusters; a new one begins where a
// figure is more than kGap times its neighbour. Wires of one kind scatter by a few percent, different kinds differ by
// factors.
#include <topowise/probe/measured_classes.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <topowise/probe/metrics.hpp>

namespace topowise::probe {
namespace {

constexpr double kGap = 1.25;

struct PairTime {
  PairOfPlaces pair;
  double seconds;
};

/// `from`: the first size that counts.
double mean_time(const PairSamples& pair, std::size_t from) {
  double logarithms = 0.0;
  for (std::size_t s = from; s < pair.by_size.size(); ++s) {
    const SizeSamples& size = pair.by_size[s];
    logarithms += std::log(std::min(std::ranges::min(size.forth), std::ranges::min(size.back)));
  }
  return std::exp(logarithms / static_cast<double>(pair.by_size.size() - from));
}

/// Numbers the clusters from `grade` + 1 on; returns the last number.
int cluster(std::vector<PairTime> times, int grade, std::map<PairOfPlaces, PathClass>& classes) {
  std::ranges::sort(times, {}, [](const PairTime& time) { return std::pair(time.seconds, time.pair); });
  double before = 0.0;
  for (const PairTime& time : times) {
    if (time.seconds > kGap * before) ++grade;
    classes[time.pair] = {PathKind::measured, grade};
    before = time.seconds;
  }
  return grade;
}

}  // namespace

MeasuredClasses measured_classes(const Samples& samples, const std::function<bool(const PairOfPlaces&)>& is_near) {
  std::vector<PairTime> near;
  std::vector<PairTime> far;
  auto from =
      static_cast<std::size_t>(std::ranges::upper_bound(samples.sizes, kSmallestThatCounts) - samples.sizes.begin());
  if (from == samples.sizes.size()) from = 0;
  for (const PairSamples& pair : samples.pairs) {
    const PairOfPlaces ends{pair.first, pair.second};
    (is_near(ends) ? near : far).push_back({ends, mean_time(pair, from)});
  }
  MeasuredClasses result;
  const int last_near = cluster(std::move(near), 0, result.of_pair);
  const int last_far = cluster(std::move(far), last_near, result.of_pair);
  result.farthest_near = {PathKind::measured, std::max(last_near, 1)};
  result.farthest_far = {PathKind::measured, std::max(last_far, last_near + 1)};
  return result;
}

}  // namespace topowise::probe
