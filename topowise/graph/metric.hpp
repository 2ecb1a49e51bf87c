// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

namespace topowise {

/// Which number of a pair of places the mapper minimises.
enum class Metric : unsigned char { distance, latency, bandwidth, hops };
[[nodiscard]] std::string_view to_string(Metric metric);
[[nodiscard]] std::optional<Metric> parse_metric(std::string_view text);

}  // namespace topowise
