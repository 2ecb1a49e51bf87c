// SPDX-License-Identifier: BSD-3-Clause
// The traces of the processes of one job, put together.
#pragma once

#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/training/trace.hpp>

namespace topowise::training {

/// Adds up what the ranks did. A collective call of a group is expanded once for each size, and counts at each sender
/// as often as its own trace has it; a rank without a trace did what the others of its groups say that it did with
/// them. Missing ranks, ranks that disagree about their calls, and calls that cannot be told go to `warnings`. Throws
/// Error(bad_input) for traces of several jobs.
[[nodiscard]] Traffic traffic_of_job(const std::string& where, std::vector<Trace> traces,
                                     const collective::Model& model, std::vector<Diagnostic>& warnings);

}  // namespace topowise::training
