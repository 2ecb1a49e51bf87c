// SPDX-License-Identifier: BSD-3-Clause
// Builds traffic from any number of entries, in little more memory than the traffic itself.
#pragma once

#include <cstddef>
#include <vector>

#include <topowise/graph/traffic/packed_traffic.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// Packs entries that come in the order of (source, destination) at once. Gathers all others, and merges them with the
/// packed ones when they are a sixteenth of those; entries of one pair are added up then.
class TrafficBuilder {
 public:
  /// Adds an entry. Its bytes must be finite and not negative.
  void add(const TrafficEntry& entry);
  /// Throws Error(bad_input) as Traffic::from_entries() does.
  [[nodiscard]] Traffic finish(std::size_t ranks) &&;

 private:
  void append(const TrafficEntry& entry);
  void merge();

  PackedTraffic packed_;
  TrafficEntry last_;     ///< the last packed entry, if there is any
  std::size_t most_ = 0;  ///< the largest number of a rank
  std::vector<TrafficEntry> gathered_;
};

}  // namespace topowise
