// SPDX-License-Identifier: BSD-3-Clause
// What a congestion model predicts of sets of transfers, beside what was measured.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/benchmark/congestion/transfer_sets.hpp>
#include <topowise/predict/congestion/congestion_model.hpp>
#include <topowise/probe/joint_transfers.hpp>

namespace topowise::benchmark {

/// Times from the begin of the set to the end of the transfer; those that wait for their source wait with it.
struct ComparedTransfer {
  Place from, to;
  Seconds predicted;
  Seconds measured;  ///< the median
  Seconds spread;    ///< standard deviation of the repetitions

  /// Above 0 where the model says too much.
  [[nodiscard]] double error() const { return measured.value() > 0 ? predicted / measured - 1 : 0; }
};

struct ComparedSet {
  std::string name;
  Bytes bytes;  ///< of each transfer
  std::vector<ComparedTransfer> transfers;
};

/// Runs transfers that begin together; times by repetition.
using RunTogether = std::function<std::vector<probe::TransferTimes>(std::span<const probe::JointTransfer>)>;

[[nodiscard]] ComparedSet compare(CongestionModel& model, const TransferSet& set, Bytes bytes, const RunTogether& run);

/// Errors of many transfers, as shares of the measured time.
struct Errors {
  std::size_t count = 0;
  double least = 0, most = 0;
  double mean = 0;           ///< with its sign
  double mean_absolute = 0;  ///< without
  double within = 0;         ///< share of the transfers whose error is at most kUsual
};
inline constexpr double kUsual = 0.15;  ///< the bound that the paper counts by

[[nodiscard]] Errors errors_of(std::span<const double> errors);

/// How many errors lie between two bounds, which are multiples of kErrorBin.
struct ErrorBin {
  double low = 0, high = 0;  ///< low included, high not
  std::size_t count = 0;
};
inline constexpr double kErrorBin = 0.05;
/// From the lowest to the highest error, also bins that are empty.
[[nodiscard]] std::vector<ErrorBin> histogram_of(std::span<const double> errors);

/// Sets with one number of transfers, as the paper's Figure 6 groups them.
struct SizeGroup {
  std::size_t transfers = 0;  ///< of a set
  std::size_t sets = 0;
  Errors errors;
  std::vector<Seconds> measured;  ///< of all transfers, ascending
};
[[nodiscard]] std::vector<SizeGroup> groups_of(std::span<const ComparedSet> sets);

[[nodiscard]] std::vector<double> all_errors(std::span<const ComparedSet> sets);

}  // namespace topowise::benchmark
