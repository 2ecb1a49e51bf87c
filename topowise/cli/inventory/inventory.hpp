// SPDX-License-Identifier: BSD-3-Clause
// What this machine has of the things that topowise can use.
#pragma once

#include <vector>

#include <topowise/cli/inventory/item.hpp>

namespace topowise::cli {

[[nodiscard]] std::vector<InventoryItem> take_inventory();

}  // namespace topowise::cli
