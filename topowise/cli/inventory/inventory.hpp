// SPDX-License-Identifier: BSD-3-Clause
// What this machine has of the things that topowise can use.
#pragma once

#include <string>
#include <vector>

namespace topowise::cli {

/// One thing, found or not.
struct InventoryItem {
  std::string group;  ///< "MPI", "GPU", "libraries", "system"
  std::string name;
  bool found = false;
  std::string detail;  ///< where it is, or why it is not usable
  std::string cost;    ///< what its lack costs
  std::string remedy;  ///< how to get it
};

[[nodiscard]] std::vector<InventoryItem> take_inventory();

}  // namespace topowise::cli
