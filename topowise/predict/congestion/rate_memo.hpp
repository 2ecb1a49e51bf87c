// SPDX-License-Identifier: BSD-3-Clause
// Rates of active sets that were seen before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/predict/congestion/congestion_model.hpp>

namespace topowise {

/// Remembers the rates of every active set that it is asked for. It is exact, because it compares the flows of sets and
/// not only their hash. Not to be shared between threads.
class RateMemo {
 public:
  explicit RateMemo(CongestionModel& model) : model_(model), table_(kFirstEntries) {}

  /// Bytes/s of the flows, in their order. The caller gives equal sets in equal order. Valid until the next call.
  [[nodiscard]] std::span<const double> rates(std::span<const CongestionModel::Flow> active);

  [[nodiscard]] CongestionModel& model() { return model_; }
  /// Sets that were computed, because they had not been seen or were too large to remember.
  [[nodiscard]] std::size_t computed() const { return computed_; }
  /// Flows of all sets that it was asked for. The next function counts those of the sets that it computed.
  [[nodiscard]] std::size_t asked_flows() const { return asked_flows_; }
  [[nodiscard]] std::size_t computed_flows() const { return computed_flows_; }

 private:
  static constexpr std::size_t kFirstEntries = 1024;
  static constexpr std::size_t kLargestSet = 64;                   ///< larger sets hardly ever come back
  static constexpr std::size_t kMostRates = std::size_t{1} << 23;  ///< 96 MB; at this number everything is forgotten

  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t begin = 0;  ///< index in flows_ and rates_
    std::uint32_t size = 0;   ///< 0: free
  };
  [[nodiscard]] std::size_t find(std::uint64_t hash, std::span<const CongestionModel::Flow> active) const;
  void grow();

  CongestionModel& model_;
  std::vector<Entry> table_;
  std::size_t used_ = 0;
  std::vector<CongestionModel::Flow> flows_;
  std::vector<double> rates_;
  std::vector<double> large_;
  std::size_t computed_ = 0;
  std::size_t asked_flows_ = 0;
  std::size_t computed_flows_ = 0;
};

}  // namespace topowise
