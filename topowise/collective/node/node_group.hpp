// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a communicator by node: those that see each other's processes.
#pragma once

#include <vector>

#include <topowise/collective/node/node_ranks.hpp>

namespace topowise::collective {

struct NodeGroup {
  std::vector<int> members;  ///< ranks of the communicator on this node, ascending
  int rank = 0;              ///< of this process, among the members
  int nodes = 1;
  int most_members = 1;  ///< members of the largest node

  [[nodiscard]] int size() const { return static_cast<int>(members.size()); }
};

/// All ranks of the communicator call it together.
[[nodiscard]] NodeGroup group_by_node(int rank, int size, const Exchange& exchange);

/// Makes an exchange of the node's ranks from an exchange of all ranks, so all nodes must do it at the same time.
[[nodiscard]] Exchange exchange_in(const NodeGroup& group, int size, const Exchange& exchange);

}  // namespace topowise::collective
