// SPDX-License-Identifier: BSD-3-Clause
// A GPU as launchers and programs name it, and what its name states. Tiles, named by card and tile ("GPU3.1"), are
// Intel's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/gpu_vendor.hpp>
#include <topowise/graph/pci_address.hpp>

namespace topowise {

/// A GPU of a compute node.
struct NodeGpu {
  std::string name;
  std::optional<PciAddress> pci;
  std::string uuid;  ///< empty if not known
  std::string cpus;  ///< Linux cpulist of its NUMA domain, empty if not known
  int numa = -1;
  std::vector<std::string> partitions{};  ///< UUIDs of its parts (MIG); empty if it is whole, or if they are not known
  int number = -1;                        ///< see number_of(); -1: its position
  GpuVendor vendor{};                     ///< if the source states it; launch/gpu_vendor also knows names
};

/// The number in "GPU3", "n1:AMD GPU3", "NPU3"; nothing for a name of another form.
[[nodiscard]] std::optional<int> number_in_name(std::string_view gpu);
/// The "3.1" of "GPU3.1", the form of a tile's name; empty for another name.
[[nodiscard]] std::string_view tile_of(std::string_view gpu);
/// The vendor by the GPU's name, else as its source states it.
[[nodiscard]] GpuVendor vendor_of(const NodeGpu& gpu);

}  // namespace topowise
