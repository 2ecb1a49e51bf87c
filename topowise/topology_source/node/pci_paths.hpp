// SPDX-License-Identifier: BSD-3-Clause
// From the position of each device in the PCI tree to the class of each pair.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/node/pci_class.hpp>

namespace topowise {

struct PciDevice {
  Device device;
  std::size_t host_bridge = 0;
  std::vector<std::size_t> bridges;  ///< from the root port down, by numbers that the reader gives
  std::string_view vendor{};         ///< vendor of a GPU, if known: "AMD"
  GpuCandidate gpu{};                ///< kind none for an adapter
  std::optional<SoftwareNumber> number{};
};

/// A program whose output describes only the PCI tree.
struct PciTreeSource {
  std::string_view name;     ///< for Link::source
  std::string_view text;     ///< the name of its output in messages
  std::string_view command;  ///< the command whose output says more
  std::string_view bonds;    ///< why its output has no bonds between GPUs
};

/// Leaves out the GPUs that are no places, and says so.
void keep_gpu_places(std::vector<PciDevice>& devices, bool has_cores, const std::string& where, Warnings& warnings);

/// Classes are PIX for devices on one switch, PXB with several switches between them, PHB below one host bridge, NODE
/// in one NUMA domain, else SYS. Where NUMA domains are not known SYS is assumed, with a warning. GPUs come first, in
/// the order of the software's numbers, else of their bus ids, and are named by their numbers. Throws Error(bad_input)
/// if there are none.
[[nodiscard]] Topology topology_of_paths(const std::string& where, std::vector<PciDevice> devices,
                                         const PciTreeSource& source, Warnings& warnings);

/// True for the name of a network adapter.
[[nodiscard]] bool names_nic(std::string_view name);

}  // namespace topowise
