// SPDX-License-Identifier: BSD-3-Clause
// Which trace is which rank's, and who the members of each group are.
#pragma once

#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/traffic_source/training/trace.hpp>

namespace topowise::training {

/// Sets the rank of every trace and the number of ranks of the job, which is returned. Traces of one process are
/// joined. Throws Error(bad_input) if two processes claim one rank or tell of jobs of different size.
/// Copies of a trace are left out with a warning.
[[nodiscard]] std::size_t settle_ranks(const std::string& where, std::vector<Trace>& traces,
                                       std::vector<Diagnostic>& warnings);

/// Sets the members of every group that can be known, from the same group in other traces where it must be.
void settle_groups(std::vector<Trace>& traces, std::size_t ranks);

}  // namespace topowise::training
