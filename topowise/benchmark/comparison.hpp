// SPDX-License-Identifier: BSD-3-Clause
// Compares an exchange under several mappings, size by size: the other rows of a group are compared with its first row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/benchmark/result_table.hpp>

namespace topowise::benchmark {

/// One mapping of one workload with one weight and message size.
struct ComparedMapping {
  std::string workload;  ///< "torus2d:4x4"
  std::size_t ranks = 0;
  int weight = 1;         ///< weight of the heavy dimension
  std::size_t bytes = 0;  ///< size of a message along the other dimensions
  std::string mapping;    ///< "distance"
  Kind kind = Kind::measured;
  std::vector<double> seconds;              ///< seconds of one iteration; several if it was measured in several runs
  std::optional<double> predicted_seconds;  ///< where the machine's links are known
  double hop_bytes = 0;
  std::optional<double> mapping_seconds;  ///< measured time of choosing the mapping; nothing for that of a file
  bool right = true;
};

/// Which part of the comparison the figure shows.
enum class Drawn : unsigned char {
  improvement,  ///< improvement in percent: a chart for each workload and weight, a curve for each mapping
  iterations,   ///< iterations that pay for the mapping: a chart for each mapping and number of ranks, a curve for each
                ///< workload and weight
};

/// Columns: workload, ranks, weight, bytes, mapping, kind, time_s (the median), fastest_s, slowest_s,
/// improvement_percent, predicted_s, predicted_improvement_percent, hop_bytes, mapping_measured_s,
/// pays_after_iterations, right, ranges_overlap (true if the range from fastest to slowest overlaps that of the row to
/// compare with: then the runs cannot tell the two mappings apart, and pays_after_iterations is empty). Rows of one
/// workload, weight and size are together, the one to compare with first. name, title and facts of the table are left
/// to the caller.
[[nodiscard]] ResultTable compare_mappings(const std::vector<ComparedMapping>& rows, Drawn drawn);

}  // namespace topowise::benchmark
