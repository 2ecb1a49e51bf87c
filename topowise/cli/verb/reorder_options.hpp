// SPDX-License-Identifier: BSD-3-Clause
// The options of `run` that belong to --reorder.
#pragma once

#include <vector>

#include <topowise/cli/arguments.hpp>
#include <topowise/job/reorder_ranks.hpp>

namespace topowise::cli {

[[nodiscard]] std::vector<Option> reorder_options();

/// Throws Error(usage) if the options do not go together.
void check_reorder_options(const Arguments& arguments);

/// The choices of the options; --reorder must be given.
[[nodiscard]] job::ReorderOptions reorder_choice(const Arguments& arguments);

}  // namespace topowise::cli
