// SPDX-License-Identifier: BSD-3-Clause
// Turns samples into the three metrics by which a mapping is made.
#pragma once

#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/probe/samples.hpp>

namespace topowise::probe {

/// Messages above this size feel the level (Faraji et al., section III); smaller ones never count.
inline constexpr std::size_t kSmallestThatCounts = 2048;
/// A size counts if the levels' averages differ at least by this ratio: below it lies the noise.
inline constexpr double kLevelMatters = 1.05;

/// Averages of one level of the topology over its measured pairs, by size. 0 where nothing was measured.
struct LevelFigures {
  std::size_t pairs = 0;
  std::vector<double> seconds;           ///< one message one way
  std::vector<double> bytes_per_second;  ///< both ways together
};

/// Higher is better in all three; by level.
struct Affinities {
  std::vector<double> latency;
  std::vector<double> bandwidth;
  std::vector<double> distance;
  std::vector<std::size_t> latency_sizes;    ///< for which the level matters
  std::vector<std::size_t> bandwidth_sizes;  ///< likewise
};

[[nodiscard]] std::vector<LevelFigures> level_figures(const Topology& machine, const Samples& samples);
[[nodiscard]] Affinities affinities(const std::vector<LevelFigures>& levels, const std::vector<std::size_t>& sizes);
/// The affinity of each pair of places, row-major: that of its level. 0 on the diagonal and where it is not known.
[[nodiscard]] std::vector<double> by_pair(const Topology& machine, const std::vector<double>& by_level);

}  // namespace topowise::probe
