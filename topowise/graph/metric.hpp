// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The costs of a pair of places, by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topowise {

/// Which number of a pair of places the mapper minimises.
enum class Metric : unsigned char { distance, latency, bandwidth, hops };
/// "distance", "latency", "bandwidth", "hops"
[[nodiscard]] std::string_view to_string(Metric metric);
/// Nothing for another word.
[[nodiscard]] std::optional<Metric> parse_metric(std::string_view text);
/// All of them.
[[nodiscard]] std::vector<std::string> metric_names();

}  // namespace topowise
