// SPDX-License-Identifier: BSD-3-Clause
// The numbers that a mapping is judged by. Lower is better, always.
#pragma once

#include <optional>
#include <string_view>

#include <topowise/base/units.hpp>
#include <topowise/graph/mapping.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/traffic.hpp>

namespace topowise {

enum class Objective : unsigned char {
  hop_bytes,       ///< sum over ordered pairs of bytes x pair cost
  max_congestion,  ///< seconds that the fullest link needs: its bytes over its bandwidth
  predicted_time,  ///< seconds until the last message has arrived, under congestion (predicted_time.hpp)
};

[[nodiscard]] std::string_view to_string(Objective objective);  ///< "hop-bytes", "max-congestion", "predicted-time"
[[nodiscard]] std::optional<Objective> parse_objective(std::string_view text);

/// The objective's value from scratch. O(entries) for hop-bytes, O(entries x route length) for max-congestion, a
/// simulation for predicted-time.
[[nodiscard]] double evaluate(Objective objective, const Traffic& traffic, const Topology& topology,
                              const Mapping& mapping, Metric metric);

}  // namespace topowise
