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
  mix,             ///< a weighted sum of the first two (ObjectiveMix)
};

/// mix = hop_share * hop-bytes / hop_bytes + (1 - hop_share) * max-congestion / congestion. The two divisors make the
/// terms comparable; mappers take those of the identity, so that the identity costs 1.
struct ObjectiveMix {
  double hop_share = 0.5;  ///< in [0, 1]
  double hop_bytes = 1;
  double congestion = 1;  ///< seconds
};

[[nodiscard]] std::string_view to_string(
    Objective objective);  ///< "hop-bytes", "max-congestion", "predicted-time", "mix"
[[nodiscard]] std::optional<Objective> parse_objective(std::string_view text);

/// The objective's value from scratch. O(entries) for hop-bytes, O(entries x route length) for max-congestion, a
/// simulation for predicted-time. `mix` is only for the objective of that name.
[[nodiscard]] double evaluate(Objective objective, const Traffic& traffic, const Topology& topology,
                              const Mapping& mapping, Metric metric, const ObjectiveMix& mix = {});

}  // namespace topowise
