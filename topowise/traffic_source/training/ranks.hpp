// SPDX-License-Identifier: BSD-3-Clause
// Finds which trace belongs to which rank, and which ranks are the members of each group.
#pragma once

#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/traffic_source/training/trace.hpp>

namespace topowise::training {

/// Sets the rank of every trace, and returns the number of ranks of the job. Traces of one process are joined. Copies
/// of a trace are left out with a warning. Throws Error(bad_input) if two processes claim one rank, or tell of jobs of
/// different size.
[[nodiscard]] std::size_t settle_ranks(const std::string& where, std::vector<Trace>& traces,
                                       std::vector<Diagnostic>& warnings);

/// Sets the members of every group that can be known; if need be, from the same group in other traces. A group of all
/// ranks without a list stays so: `whole_job` is set.
void settle_groups(std::vector<Trace>& traces, std::size_t ranks);

}  // namespace topowise::training
