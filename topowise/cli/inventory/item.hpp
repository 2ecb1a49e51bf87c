// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace topowise::cli {

/// One thing that topowise can use, found on this machine or not.
struct InventoryItem {
  std::string group;  ///< "MPI", "GPU", "libraries", "system"
  std::string name;
  bool found = false;
  std::string detail;  ///< where it is, or why it is not usable
  std::string cost;    ///< what its lack costs
  std::string remedy;  ///< how to get it
};

}  // namespace topowise::cli
