// SPDX-License-Identifier: BSD-3-Clause
// What this machine offers for GPUs: management libraries, drivers, and how the GPUs reach each other.
#pragma once

#include <vector>

#include <topowise/cli/inventory/item.hpp>

namespace topowise::cli {

/// Asks every library and driver; the error of a GPU that does not answer stands in the item's detail.
[[nodiscard]] std::vector<InventoryItem> take_gpu_inventory();

}  // namespace topowise::cli
