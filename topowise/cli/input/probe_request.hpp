// SPDX-License-Identifier: BSD-3-Clause
// What the options of `topowise probe` ask to be measured.
#pragma once

#include <string>
#include <vector>

#include <topowise/cli/arguments.hpp>
#include <topowise/probe/measure.hpp>

namespace topowise::cli {

/// "1B-64MiB" (powers of two between), "4KiB,1MiB", or both; ascending, each size once. Throws Error(usage).
[[nodiscard]] std::vector<std::size_t> parse_sizes(std::string_view text);

/// "0-1,GPU2-GPU5". Throws Error(usage) for a pair of a place with itself.
[[nodiscard]] std::vector<probe::PairOfPlaces> parse_pairs(const Topology& machine, std::string_view text);

/// Throws Error(usage) if nobody would see the result.
void check_destination(const Arguments& arguments);

/// Without --pairs all pairs of `reachable`.
[[nodiscard]] probe::Plan probe_plan(const Arguments& arguments, const Topology& machine,
                                     const std::vector<Place>& reachable);

}  // namespace topowise::cli
