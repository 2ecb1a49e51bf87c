// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the hwloc reader share.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/xml/located_xml.hpp>

namespace topowise {

/// An object that a matrix of distances may name.
struct HwlocEnd {
  enum class Kind : unsigned char { gpu, package, nvswitch };
  Kind kind = Kind::gpu;
  VertexId vertex;  ///< none for an NVSwitch: all of them become one vertex
  int pci_vendor = 0;
  int pci_device = 0;
};
/// Ends by hwloc's gp_index. The three OS devices of one GPU (CUDA, NVML, OpenCL) and its PCI device have one entry
/// each.
using HwlocEnds = std::map<std::uint64_t, HwlocEnd>;

/// Adds the links that NVLinkBandwidth, XGMIBandwidth and XGMIHops name; false if the file has none of the first two.
bool add_hwloc_distances(const LocatedXml& xml, const HwlocEnds& ends, TopologyBuilder& builder, Diagnostics& errors);

/// Reads a machine without GPUs. Its cores are the places. `host` is its name, empty if not known.
[[nodiscard]] Topology read_hwloc_cores(const LocatedXml& xml, const std::string& where, const std::string& host,
                                        const Warnings& warnings);

}  // namespace topowise
