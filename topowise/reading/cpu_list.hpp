// SPDX-License-Identifier: BSD-3-Clause
// Linux cpulists ("0-19,40-59"), and how to notice that one has lost a digit.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topowise {

/// Inclusive ranges in ascending order.
using CpuRanges = std::vector<std::pair<int, int>>;

/// Nothing if `text` is not a cpulist: "-31,64-95" has lost its beginning.
[[nodiscard]] std::optional<CpuRanges> parse_cpu_list(std::string_view text);

/// Ascending numbers in the form of a Linux cpulist.
template <std::integral Number>
[[nodiscard]] std::string to_cpu_list(const std::vector<Number>& cpus) {
  std::string list;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!list.empty()) list += ',';
    list += last > i ? fmt::format("{}-{}", cpus[i], cpus[last]) : fmt::format("{}", cpus[i]);
    i = last + 1;
  }
  return list;
}

/// True if the two share processors without being equal. Domains of one machine are equal or disjoint.
[[nodiscard]] bool partly_overlap(const CpuRanges& a, const CpuRanges& b);

}  // namespace topowise
