// SPDX-License-Identifier: BSD-3-Clause
// What single elements of NCCL's XML say by themselves.
#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include <topowise/base/error.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/xml/located_xml.hpp>

namespace topowise {

/// What is wrong with a file, element by element. The first ones are kept.
class NcclErrors {
 public:
  explicit NcclErrors(const LocatedXml& xml) : xml_(xml) {}

  /// Throws when there have been so many that reading on is of no use.
  void add(const pugi::xml_node& element, std::string what, std::string_view cell = {});
  /// A bus id; else nothing, and an error.
  [[nodiscard]] std::optional<PciAddress> address(const pugi::xml_node& element, const char* attribute);
  void throw_if_any() const { found_.throw_if_any(); }

 private:
  const LocatedXml& xml_;
  Diagnostics found_;
};

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
