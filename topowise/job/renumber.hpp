// SPDX-License-Identifier: BSD-3-Clause
// Ranks of PyTorch jobs. Their launchers number the processes node by node, and programs read the number from RANK. If
// a mapping wants other ranks on a node, the processes stay where they are and get other numbers.
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
  name,   ///< the node with the name of the process's host
  order,  ///< the node with the number of the process's node rank, counted over the nodes that have ranks
};
[[nodiscard]] std::optional<NodeMatch> parse_node_match(std::string_view text);

/// The process with a new rank: a process with local rank k gets the k-th rank that the mapping has on its node. It is
/// unchanged unless programs of its launcher take their rank from RANK. Throws Error(bad_input) for a host that the
/// mapping does not have, or a node with another number of ranks.
[[nodiscard]] Process renumbered(const Placement& placement, const Process& process, NodeMatch match,
                                 const std::string& host);

/// The variables that give the process that was started as `before` the rank of `now`; empty if it has that rank
/// already. Throws Error(bad_input) if rank 0 would leave the node of MASTER_ADDR, where it must listen.
[[nodiscard]] Variables rank_variables(const Process& before, const Process& now, const Inherited& inherited);

}  // namespace topowise::job
