// SPDX-License-Identifier: BSD-3-Clause
// Traffic from as many entries as there may be, in little more memory than the traffic itself.
#pragma once

#include <cstddef>
#include <vector>

#include <topowise/graph/traffic/packed_traffic.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// Entries in the order of (source, destination) are packed as they come. Others are gathered, and merged with what is
/// packed when they are a sixteenth of it; entries of one pair are added up then.
class TrafficBuilder {
 public:
  /// Bytes are finite and not negative.
  void add(const TrafficEntry& entry);
  /// Throws Error(bad_input) as Traffic::from_entries() does.
  [[nodiscard]] Traffic finish(std::size_t ranks) &&;

 private:
  void append(const TrafficEntry& entry);
  void merge();

  PackedTraffic packed_;
  TrafficEntry last_;     ///< of what is packed, if there is any
  std::size_t most_ = 0;  ///< the largest number of a rank
  std::vector<TrafficEntry> gathered_;
};

}  // namespace topowise
