// SPDX-License-Identifier: BSD-3-Clause
// Ranks of PyTorch jobs. Their launchers number the processes node by node, and programs read the number from RANK. A
// mapping that wants other ranks on a node takes effect by other numbers: the processes stay where they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <topowise/job/process.hpp>
#include <topowise/launch/gpu_environment.hpp>
#include <topowise/launch/placement.hpp>

namespace topowise::job {

/// Which node of a mapping a process is on.
enum class NodeMatch : unsigned char {
  name,   ///< the one that is called like its host
  order,  ///< that of its node rank, counted over the nodes that have ranks
};
[[nodiscard]] std::optional<NodeMatch> parse_node_match(std::string_view text);

/// The process with the rank that the mapping has for local rank k of its node: the k-th of the node's ranks. Unchanged
/// unless the launcher is one whose programs take their rank from RANK. Throws Error(bad_input): a host that the
/// mapping does not have, a node with another number of ranks.
[[nodiscard]] Process renumbered(const Placement& placement, const Process& process, NodeMatch match,
                                 const std::string& host);

/// What makes `now` the rank of the process that was started as `before`; empty if it is that already. Throws
/// Error(bad_input) if rank 0 would leave the node of MASTER_ADDR, where it must listen.
[[nodiscard]] Variables rank_variables(const Process& before, const Process& now, const Inherited& inherited);

}  // namespace topowise::job
