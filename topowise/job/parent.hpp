// SPDX-License-Identifier: BSD-3-Clause
// A process that makes the workers of its node itself, such as vLLM's or one that calls torch.multiprocessing.spawn:
// a mapping for all its workers gives it the list of their GPUs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <topowise/job/notices.hpp>
#include <topowise/job/process.hpp>
#include <topowise/job/renumber.hpp>
#include <topowise/launch/placement.hpp>

namespace topowise::job {

/// The mapping's node whose workers this process makes: the job has one process on each node that has ranks, and there
/// are more ranks than that. With several nodes, the one with the name of `host`, or number `process.rank` of those
/// that have ranks. Nothing if the process is one rank of several; then the mapping is for such.
[[nodiscard]] std::optional<std::size_t> node_of_parent(const Placement& placement, const Process& process,
                                                        NodeMatch match, const std::string& host);

/// Sets the variables under which device k is the GPU of the node's k-th rank, and says so in one line. Throws
/// Error(bad_input) if no list of GPUs can say that, or if it has a GPU that is not the job's.
void arrange_workers(const Placement& placement, std::size_t node, const Notices& notices);

}  // namespace topowise::job
