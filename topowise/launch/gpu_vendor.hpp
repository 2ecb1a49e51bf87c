// SPDX-License-Identifier: BSD-3-Clause
// The vendor of a GPU, which its name tells; tiles, named by card and tile ("GPU3.1"), are Intel's. A vendor's variable
// counts only the GPUs of that vendor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/gpu_vendor.hpp>
#include <topowise/launch/placement.hpp>

namespace topowise {

[[nodiscard]] GpuVendor vendor_of(const NodeGpu& gpu);

/// GPUs of one vendor in the order of the node, and where each of them is in the node.
struct GpusOfVendor {
  PlacedNode node;                   ///< the node with only these GPUs
  std::vector<std::size_t> in_node;  ///< index into the whole node's GPUs
};
[[nodiscard]] GpusOfVendor gpus_of_vendor(const PlacedNode& node, GpuVendor vendor);

/// The vendors of a node's GPUs, each once.
[[nodiscard]] std::vector<GpuVendor> vendors_of(const PlacedNode& node);

/// Number of a GPU among those of its vendor, and how many these are.
struct OwnNumber {
  std::size_t number = 0;
  std::size_t count = 0;
};
[[nodiscard]] OwnNumber own_number(const PlacedNode& node, std::size_t gpu);

/// The name of an Intel GPU of the node in Level Zero's ZE_AFFINITY_MASK, where a card is one device
/// (ZE_FLAT_DEVICE_HIERARCHY=COMPOSITE): "3", or "3.1" for a tile.
[[nodiscard]] std::string affinity_mask(const PlacedNode& node, std::size_t gpu);

}  // namespace topowise
