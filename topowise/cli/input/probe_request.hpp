// SPDX-License-Identifier: BSD-3-Clause
// What the options of `topowise probe` ask to be measured.
#pragma once

#include <vector>

#include <topowise/cli/arguments.hpp>
#include <topowise/probe/measure.hpp>

namespace topowise::cli {

/// Reads "1B-64MiB" (the powers of two between), "4KiB,1MiB", or both; returns each size once, ascending. Throws
/// Error(usage).
[[nodiscard]] std::vector<std::size_t> parse_sizes(std::string_view text);

/// Reads "0-1,GPU2-GPU5". Throws Error(usage) for a pair of a place with itself.
[[nodiscard]] std::vector<probe::PairOfPlaces> parse_pairs(const Topology& machine, std::string_view text);

/// Throws Error(usage) if the result would not be printed or saved.
void check_destination(const Arguments& arguments);

/// The plan of the measurement; without --pairs it has all pairs of `reachable`.
[[nodiscard]] probe::Plan probe_plan(const Arguments& arguments, const Topology& machine,
                                     const std::vector<Place>& reachable);

}  // namespace topowise::cli
