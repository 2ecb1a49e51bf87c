// SPDX-License-Identifier: BSD-3-Clause
// Compares what a congestion model predicts for sets of transfers with what was measured.
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

/// Times from the beginning of the set to the end of the transfer. The time that a transfer waits for its source to
/// become free is included.
struct ComparedTransfer {
  Place from, to;
  Seconds predicted;
  Seconds measured;  ///< the median
  Seconds spread;    ///< standard deviation of the repetitions

  /// The relative error: above 0 where the predicted time is too long; 0 where nothing was measured.
  [[nodiscard]] double error() const { return measured.value() > 0 ? predicted / measured - 1 : 0; }
};

struct ComparedSet {
  std::string name;
  Bytes bytes;  ///< of each transfer
  std::vector<ComparedTransfer> transfers;
};

/// Runs transfers that begin together, and returns their times by repetition.
using RunTogether = std::function<std::vector<probe::TransferTimes>(std::span<const probe::JointTransfer>)>;

[[nodiscard]] ComparedSet compare_prediction(CongestionModel& model, const TransferSet& set, Bytes bytes,
                                             const RunTogether& run);

/// Errors of many transfers, as shares of the measured time.
struct Errors {
  std::size_t count = 0;
  double least = 0, most = 0;
  double mean = 0;           ///< mean of the errors with their signs
  double mean_absolute = 0;  ///< mean of the errors without their signs
  double within = 0;         ///< share of the transfers whose error is at most kUsual
};
inline constexpr double kUsual = 0.15;  ///< the paper counts the transfers whose error is within this bound

[[nodiscard]] Errors errors_of(std::span<const double> errors);

/// How many errors lie between two bounds, which are multiples of kErrorBin.
struct ErrorBin {
  double low = 0, high = 0;  ///< the bin includes `low` and excludes `high`
  std::size_t count = 0;
};
inline constexpr double kErrorBin = 0.05;
/// All bins from the lowest to the highest error, empty ones included.
[[nodiscard]] std::vector<ErrorBin> histogram_of(std::span<const double> errors);

/// Sets with one number of transfers, as the paper's Figure 6 groups them.
struct SizeGroup {
  std::size_t transfers = 0;  ///< transfers of each set
  std::size_t sets = 0;
  Errors errors;
  std::vector<Seconds> measured;  ///< of all transfers, ascending
};
[[nodiscard]] std::vector<SizeGroup> groups_of(std::span<const ComparedSet> sets);

[[nodiscard]] std::vector<double> all_errors(std::span<const ComparedSet> sets);

}  // namespace topowise::benchmark
