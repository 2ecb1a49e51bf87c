// SPDX-License-Identifier: BSD-3-Clause
// Linux cpulists ("0-19,40-59"), and how to notice that one has lost a digit.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace topowise {

/// Inclusive ranges in ascending order.
using CpuRanges = std::vector<std::pair<int, int>>;

/// Nothing if `text` is not a cpulist: "-31,64-95" has lost its beginning.
[[nodiscard]] std::optional<CpuRanges> parse_cpu_list(std::string_view text);

/// True if the two share processors without being equal. Domains of one machine are equal or disjoint.
[[nodiscard]] bool partly_overlap(const CpuRanges& a, const CpuRanges& b);

}  // namespace topowise
