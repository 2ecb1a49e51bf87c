// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a communicator are: what a plan is made for.
#pragma once

#include <vector>

namespace topowise::collective {

struct Layout {
  std::vector<int> gpu;     ///< by rank of the node: its GPU, numbered from 0 in the order of the ranks
  std::vector<int> island;  ///< by GPU: GPUs with the same number reach each other without crossing the host
  bool bonded = false;      ///< every two GPUs are joined by the vendor's own wires (NVLink, xGMI)
  int nodes = 1;            ///< nodes of the communicator; ranks and GPUs are those of one node

  [[nodiscard]] int ranks() const { return static_cast<int>(gpu.size()); }
  [[nodiscard]] int gpus() const { return static_cast<int>(island.size()); }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// `ranks` take `gpus` GPUs in turn, which lie in `islands` of equal size, or as equal as can be.
[[nodiscard]] Layout layout_in_turn(int ranks, int gpus = 1, int islands = 1);

/// The ranks of each GPU, ascending. The first rank of a GPU leads and alone computes there, because ranks that share a
/// GPU never compute at the same time without MPS.
[[nodiscard]] std::vector<std::vector<int>> ranks_by_gpu(const Layout& layout);

}  // namespace topowise::collective
