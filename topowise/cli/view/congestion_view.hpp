// SPDX-License-Identifier: BSD-3-Clause
// What `topowise bench congestion` found, for people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <topowise/benchmark/congestion/comparison.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/graph/congestion_model_name.hpp>
#include <topowise/graph/congestion_parameters.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/report/curve_chart.hpp>

namespace topowise::cli {

struct CongestionComparison {
  Topology machine;    ///< the machine of the prediction
  std::string source;  ///< "measured:probe (GPU memory by cuda)"
  std::string date;
  std::size_t gpus = 0;
  CongestionModelName asked_model = CongestionModelName::automatic;
  std::string model;                ///< the models that links of the machine follow, joined by "+"
  CongestionParameters parameters;  ///< parameters that were measured or given
  BytesPerSecond unit;              ///< the rate that a factor of 1 means
  int repetitions = 0;
  std::uint64_t seed = 1;
  std::vector<benchmark::ComparedSet> alone;  ///< one transfer between the two nearest places, by size
  std::vector<benchmark::ComparedSet> sets;
  std::vector<std::string> calibration;  ///< how the parameters were found
  std::vector<std::string> notes;        ///< what a reader should know
};

[[nodiscard]] std::string comparison_text(const CongestionComparison& result, const Terminal& terminal);
[[nodiscard]] std::string comparison_json(const CongestionComparison& result, const std::string& command);
/// Charts of the measured times by transfers of a set, and of the errors. For several sizes, a chart of the throughput
/// of each transfer of the first set.
[[nodiscard]] std::vector<CurveChart> comparison_charts(const CongestionComparison& result);
/// Comma-separated values with one line for each transfer.
[[nodiscard]] std::string comparison_csv(const CongestionComparison& result);

}  // namespace topowise::cli
