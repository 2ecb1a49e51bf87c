// SPDX-License-Identifier: BSD-3-Clause
// What this machine has for GPUs: management libraries, drivers, and what the GPUs can do with each other.
#pragma once

#include <vector>

#include <topowise/cli/inventory/item.hpp>

namespace topowise::cli {

/// Asks every library and driver; GPUs that do not answer end in the item's detail.
[[nodiscard]] std::vector<InventoryItem> take_gpu_inventory();

}  // namespace topowise::cli
