// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Every number by which a given mapping is judged.
///
/// @code
/// const topowise::Evaluation numbers = topowise::evaluate(traffic, machine, mapping);
/// std::cout << topowise::to_string(topowise::Bytes(numbers.hop_bytes)) << " hop-bytes\n";
/// if (numbers.predicted_time) std::cout << topowise::to_string(*numbers.predicted_time) << " predicted\n";
/// @endcode
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/graph/group_spread.hpp>
#include <topowise/mapping.hpp>
#include <topowise/topology.hpp>
#include <topowise/traffic.hpp>

namespace topowise {

/// Lower is better for every number.
struct Evaluation {
  double hop_bytes = 0;         ///< sum over pairs of ranks of bytes x metric
  double average_dilation = 0;  ///< hop-bytes over the bytes between different ranks
  double max_dilation = 0;      ///< the largest metric of two ranks that exchange bytes
  /// Bytes that each link carries, by LinkId; empty where routes are not known.
  std::vector<Bytes> link_load;
  std::optional<Seconds> max_congestion;  ///< what the fullest link needs: its bytes over its bandwidth
  std::optional<LinkId> fullest_link;     ///< nothing if no link carries bytes
  std::optional<Seconds> predicted_time;  ///< one message per pair, all at once, under congestion
  /// Parts of the machine that each kind of Traffic::groups() touches; empty where no groups are known.
  std::vector<GroupSpread> spread;
  std::string unknown;  ///< which of the numbers from link_load on are missing, and why; empty if none is
  /// What the numbers rest on beyond what sources state, a few words each: "NVLink of 25 GB/s a link".
  std::vector<std::string> assumptions;
};

/// Evaluates the mapping from scratch. O(entries x route length) and a simulation, which is left out above 20000
/// entries (predict() has no such limit).
/// @throws Error bad_input if the machine does not know the metric, or if the mapping lacks a rank.
[[nodiscard]] Evaluation evaluate(const Traffic& traffic, const Topology& machine, const Mapping& mapping,
                                  Metric metric = Metric::distance);

}  // namespace topowise
