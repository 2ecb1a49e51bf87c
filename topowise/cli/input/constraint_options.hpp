// SPDX-License-Identifier: BSD-3-Clause
// The options for what a mapping must respect besides the capacities of places: balance, loads, fixed ranks.
#pragma once

#include <vector>

#include <topowise/cli/arguments.hpp>
#include <topowise/mapper/mapper.hpp>

namespace topowise::cli {

[[nodiscard]] std::vector<Option> constraint_options();

/// Reads --imbalance, --loads and --fix into the problem. Throws Error(usage), and Error(bad_input) for a file of
/// loads.
void read_constraints(const Arguments& arguments, MapProblem& problem);

}  // namespace topowise::cli
