// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One number for every pair of places, and how it was measured.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <topowise/graph/provenance.hpp>

namespace topowise {

/// How the values of a PairMatrix came about. Each vector is as long as the values, or empty if it is not known.
struct PairStatistics {
  std::vector<double> mean;    ///< in the unit of the values
  std::vector<double> spread;  ///< standard deviation, in the unit of the values
  std::vector<double> count;   ///< samples that were kept
  std::string date;            ///< ISO 8601, UTC

  friend bool operator==(const PairStatistics&, const PairStatistics&) = default;
};

/// Numbers that some source states for every pair of places, row-major, one row per place. Direction matters.
struct PairMatrix {
  std::vector<double> values;  ///< distances, seconds, or bytes per second
  Provenance source;           ///< of the values
  /// How well each pair communicates relative to the worst pair, over many message sizes: higher is better, the worst
  /// has 1; empty if not known. If it is known, the cost of a pair is the best affinity divided by the pair's own.
  std::vector<double> affinity = {};
  PairStatistics statistics = {};  ///< of the values, if they were measured

  friend bool operator==(const PairMatrix&, const PairMatrix&) = default;
};

/// The matrix of some places out of `matrix`, which has `size` places: entry (i, j) is that of (places[i], places[j]).
[[nodiscard]] PairMatrix select_places(const PairMatrix& matrix, std::size_t size, std::span<const std::size_t> places);

}  // namespace topowise
