// SPDX-License-Identifier: BSD-3-Clause
// Three metrics say how well two GPUs of a node communicate (I. Faraji, S. H. Mirsadeghi, A. Afsahi, "Topology-Aware
// GPU Selection on Multi-GPU Nodes", section III). The pairs are sorted into the levels of the topology, and the
// latencies of ping-pong and the bandwidths of messages both ways are averaged over the pairs of a level, size by size.
// For the sizes above 2 KB at which the level makes a difference,
//
//   latency metric of a pair   = mean over the sizes of  latency(worst level) / latency(level of the pair)
//   bandwidth metric of a pair = mean over the sizes of  bandwidth(level of the pair) / bandwidth(worst level)
//   distance metric of a pair  = number of levels - level of the pair
//
// so that the worst level has 1 and everything better has more. The worst level is the farthest that was measured.
#include <topowise/probe/metrics.hpp>

#include <algorithm>

#include <topowise/probe/figure.hpp>

namespace topowise::probe {
namespace {

double ratio_of_extremes(const std::vector<LevelFigures>& levels, std::vector<double> LevelFigures::*figures,
                         std::size_t size) {
  double least = 0.0;
  double most = 0.0;
  for (const LevelFigures& level : levels) {
    if (level.pairs == 0) continue;
    const double value = (level.*figures)[size];
    least = least > 0 ? std::min(least, value) : value;
    most = std::max(most, value);
  }
  return least > 0 ? most / least : 1.0;
}

std::vector<std::size_t> sizes_that_matter(const std::vector<LevelFigures>& levels,
                                           std::vector<double> LevelFigures::*figures,
                                           const std::vector<std::size_t>& sizes) {
  std::vector<std::size_t> counting;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    if (sizes[s] > kSmallestThatCounts && ratio_of_extremes(levels, figures, s) >= kLevelMatters) counting.push_back(s);
  }
  return counting;
}

/// Mean over the sizes of numerator / denominator; 1 if no size matters.
double mean_ratio(const std::vector<double>& numerator, const std::vector<double>& denominator,
                  const std::vector<std::size_t>& counting) {
  if (counting.empty()) return 1.0;
  double sum = 0.0;
  for (const std::size_t s : counting) sum += numerator[s] / denominator[s];
  return sum / static_cast<double>(counting.size());
}

}  // namespace

std::vector<LevelFigures> level_figures(const Topology& machine, const Samples& samples) {
  std::vector<LevelFigures> levels(machine.levels().size());
  for (LevelFigures& level : levels) {
    level.seconds.assign(samples.sizes.size(), 0.0);
    level.bytes_per_second.assign(samples.sizes.size(), 0.0);
  }
  for (const PairSamples& pair : samples.pairs) {
    LevelFigures& level = levels[static_cast<std::size_t>(machine.level(pair.first, pair.second))];
    ++level.pairs;
    for (std::size_t s = 0; s < samples.sizes.size(); ++s) {
      const SizeSamples& of_size = pair.by_size[s];
      level.seconds[s] += (summarise(of_size.forth).median + summarise(of_size.back).median) / 2;
      level.bytes_per_second[s] += 2.0 * static_cast<double>(samples.sizes[s]) / summarise(of_size.both).median;
    }
  }
  for (LevelFigures& level : levels) {
    if (level.pairs == 0) continue;
    for (double& value : level.seconds) value /= static_cast<double>(level.pairs);
    for (double& value : level.bytes_per_second) value /= static_cast<double>(level.pairs);
  }
  return levels;
}

Affinities affinities(const std::vector<LevelFigures>& levels, const std::vector<std::size_t>& sizes) {
  Affinities result;
  const std::size_t n = levels.size();
  result.latency.assign(n, 0.0);
  result.bandwidth.assign(n, 0.0);
  for (std::size_t level = 0; level < n; ++level) result.distance.push_back(static_cast<double>(n - level));
  const auto worst = std::find_if(levels.rbegin(), levels.rend(), [](const LevelFigures& f) { return f.pairs > 0; });
  if (worst == levels.rend()) return result;
  const std::vector<std::size_t> by_latency = sizes_that_matter(levels, &LevelFigures::seconds, sizes);
  const std::vector<std::size_t> by_bandwidth = sizes_that_matter(levels, &LevelFigures::bytes_per_second, sizes);
  for (const std::size_t s : by_latency) result.latency_sizes.push_back(sizes[s]);
  for (const std::size_t s : by_bandwidth) result.bandwidth_sizes.push_back(sizes[s]);
  for (std::size_t level = 0; level < n; ++level) {
    if (levels[level].pairs == 0) continue;
    result.latency[level] = mean_ratio(worst->seconds, levels[level].seconds, by_latency);
    result.bandwidth[level] = mean_ratio(levels[level].bytes_per_second, worst->bytes_per_second, by_bandwidth);
  }
  return result;
}

std::vector<double> by_pair(const Topology& machine, const std::vector<double>& by_level) {
  const std::size_t n = machine.place_count();
  std::vector<double> values(n * n, 0.0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (a != b) values[a * n + b] = by_level[static_cast<std::size_t>(machine.level(Place(a), Place(b)))];
    }
  }
  return values;
}

}  // namespace topowise::probe
