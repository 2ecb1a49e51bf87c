// SPDX-License-Identifier: BSD-3-Clause
// Puts the traces of the processes of one job together.
#pragma once

#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/training/trace.hpp>

namespace topowise::training {

/// Adds up what the ranks did. A collective call of a group is expanded once for each size. What each sender sends
/// counts as often as its own trace has the call; a rank without a trace counts as often as the other members of its
/// groups say. Missing ranks, ranks that disagree about their calls, and unclear calls go to `warnings`.
/// Throws Error(bad_input) for traces of several jobs.
[[nodiscard]] Traffic traffic_of_job(const std::string& where, std::vector<Trace> traces,
                                     const collective::Model& model, std::vector<Diagnostic>& warnings);

}  // namespace topowise::training
