// SPDX-License-Identifier: BSD-3-Clause
// What a mapping has to keep besides the capacities of places: balance, loads, fixed ranks.
#pragma once

#include <vector>

#include <topowise/cli/arguments.hpp>
#include <topowise/mapper/mapper.hpp>

namespace topowise::cli {

[[nodiscard]] std::vector<Option> constraint_options();

/// Reads --imbalance, --loads and --fix into the problem. Throws Error: usage, and bad input for a file of loads.
void read_constraints(const Arguments& arguments, MapProblem& problem);

}  // namespace topowise::cli
