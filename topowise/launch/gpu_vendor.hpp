// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of one vendor: a vendor's variable counts only these.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/gpu_vendor.hpp>
#include <topowise/launch/placement.hpp>

namespace topowise {

/// GPUs of one vendor in the order of their numbers, and where each of them is in the node.
struct GpusOfVendor {
  PlacedNode node;                   ///< the node with only these GPUs
  std::vector<std::size_t> in_node;  ///< index into the whole node's GPUs, in the order of the vendor's numbers
};
[[nodiscard]] GpusOfVendor gpus_of_vendor(const PlacedNode& node, GpuVendor vendor);

/// The vendors of a node's GPUs, each once.
[[nodiscard]] std::vector<GpuVendor> vendors_of(const PlacedNode& node);

/// The number of a GPU among those of its vendor, as the vendor's runtime counts.
[[nodiscard]] std::size_t own_number(const PlacedNode& node, std::size_t gpu);

/// The name of an Intel GPU of the node in Level Zero's ZE_AFFINITY_MASK, where a card is one device
/// (ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE): "3", or "3.1" for a tile.
[[nodiscard]] std::string affinity_mask(const PlacedNode& node, std::size_t gpu);

/// Whether a list in ZE_AFFINITY_MASK lets a program see what affinity_mask() names: it lists that, or the card of that
/// tile.
[[nodiscard]] bool lets_affinity_mask(std::string_view list, std::string_view mask);

/// Why no variable is set for a GPU: the variable of its vendor is not known. Empty if it is known.
[[nodiscard]] std::string why_no_variable(const NodeGpu& gpu);
/// Throws Error(bad_input) if the variable for the GPU of some rank is not known.
void require_known_variables(const Placement& placement);

}  // namespace topowise
