// SPDX-License-Identifier: BSD-3-Clause
// Reads what single elements of NCCL's XML say by themselves.
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

/// Collects what is wrong with a file, element by element. Only the first errors are kept.
class NcclErrors {
 public:
  explicit NcclErrors(const LocatedXml& xml) : xml_(xml) {}

  /// Throws when there are so many errors that reading on is of no use.
  void add(const pugi::xml_node& element, std::string what, std::string_view cell = {});
  /// The bus id in an attribute; if it is none, adds an error and gives nothing.
  [[nodiscard]] std::optional<PciAddress> address(const pugi::xml_node& element, const char* attribute);
  /// The rate of the PCIe link of a <pci>; 0 if the file does not say.
  [[nodiscard]] BytesPerSecond pcie_link(const pugi::xml_node& pci);
  /// A number that is whole, and not negative but for -1, which means not known; `otherwise` if the attribute is
  /// missing or, with an error, if it is no such number.
  [[nodiscard]] int whole(const pugi::xml_node& element, const char* attribute, int otherwise);
  void throw_if_any() const { found_.throw_if_any(); }

 private:
  const LocatedXml& xml_;
  Diagnostics found_;
};

/// True for a GPU in a file without classes: a leaf, whose vendor, if it is stated, makes GPUs.
[[nodiscard]] bool is_classless_gpu(const pugi::xml_node& pci, int vendor);

/// The vendor of a <gpu>: "NVIDIA" by the PCI vendor of its <pci>, else by what only one vendor's library writes; empty
/// if not known.
[[nodiscard]] std::string_view nccl_gpu_vendor(const pugi::xml_node& gpu, const pugi::xml_node& pci);

/// True for the name of an interface that no wire leaves: container, bridge and tunnel devices.
[[nodiscard]] bool is_virtual_net(std::string_view name);

/// The rate of a <net>. Its `speed` is in Mb/s, but Slingshot's cxi plug-in has written kb/s; nothing is faster than 10
/// Tb/s.
[[nodiscard]] BytesPerSecond nccl_net_bandwidth(const pugi::xml_node& net);

}  // namespace topowise
