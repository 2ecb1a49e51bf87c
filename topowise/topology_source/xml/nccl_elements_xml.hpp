// SPDX-License-Identifier: BSD-3-Clause
// What single elements of NCCL's XML say by themselves.
#pragma once

#include <pugixml.hpp>
#include <string_view>

#include <topowise/base/units.hpp>

namespace topowise {

/// Of the PCIe link of a <pci>; 0 if it is not told.
[[nodiscard]] BytesPerSecond nccl_pcie_link(const pugi::xml_node& pci);

/// A device of a file without classes: a leaf, and of a vendor of GPUs if it tells its vendor.
[[nodiscard]] bool is_classless_gpu(const pugi::xml_node& pci, int vendor);

/// "NVIDIA" of a <gpu> by the PCI vendor of its <pci>, else by what only one vendor's library writes; empty if not
/// known.
[[nodiscard]] std::string_view nccl_gpu_vendor(const pugi::xml_node& gpu, const pugi::xml_node& pci);

/// Names of interfaces that no wire leaves: container, bridge and tunnel devices.
[[nodiscard]] bool is_virtual_net(std::string_view name);

/// `speed` of a <net> is in Mb/s, but Slingshot's cxi plug-in has written kb/s: nothing is faster than 10 Tb/s.
[[nodiscard]] BytesPerSecond nccl_net_bandwidth(const pugi::xml_node& net);

}  // namespace topowise
