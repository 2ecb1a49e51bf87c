// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the host graph is made of: vertices, links and places, and the words for their kinds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/id.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/congestion_parameters.hpp>
#include <topowise/graph/gpu_vendor.hpp>
#include <topowise/graph/pci_address.hpp>
#include <topowise/graph/provenance.hpp>

namespace topowise {

/// What a vertex of the machine's graph is.
enum class VertexKind : unsigned char {
  compute_node,    ///< one operating system
  package,         ///< what is in one socket
  numa_domain,     ///< processors and the memory near them
  root_complex,    ///< PCIe host bridge
  pcie_switch,     ///< also a bridge
  gpu,             ///< or a part of one that is a device of its own
  nic,             ///< adapter of a network
  nvswitch,        ///< joins GPUs by NVLink
  network_switch,  ///< joins compute nodes
  core,            ///< a processor core
  group,           ///< a level of a synthetic hierarchy, or what only joins others
};
/// What a link is made of.
enum class LinkKind : unsigned char {
  pcie,          ///< one PCIe link of a tree
  host,          ///< inside a package: root complex to NUMA domain, NUMA domain to package
  inter_socket,  ///< QPI, UPI, xGMI between packages, X-Bus
  nvlink,        ///< width = links in the bond
  xgmi,          ///< width = links in the bond
  c2c,           ///< chip to chip inside one module
  vendor_link,   ///< another vendor's own link; width = links in the bond, 1 if not counted
  network,       ///< between adapters and switches of a network
  abstract,      ///< a level of a synthetic hierarchy, or a pair of which only a number is known
};
/// What ranks are put on.
enum class PlaceKind : unsigned char {
  gpu,   ///< a device
  core,  ///< a processor core
  node,  ///< a compute node as a whole
  slot,  ///< a position of which no more is known
};

/// True for links between GPUs themselves beside PCIe; a C2C link may also join a GPU to its processor.
[[nodiscard]] constexpr bool is_bond(LinkKind kind) {
  return kind == LinkKind::nvlink || kind == LinkKind::xgmi || kind == LinkKind::c2c || kind == LinkKind::vendor_link;
}

/// The word in JSON: "compute-node", "gpu".
[[nodiscard]] std::string_view to_string(VertexKind kind);
/// The word in JSON: "pcie", "inter-socket".
[[nodiscard]] std::string_view to_string(LinkKind kind);
/// The word in JSON: "gpu", "slot".
[[nodiscard]] std::string_view to_string(PlaceKind kind);
/// The kind of vertex that such a place is on; none for a slot.
[[nodiscard]] std::optional<VertexKind> vertex_kind_of(PlaceKind kind);
/// Nothing for another word.
[[nodiscard]] std::optional<VertexKind> parse_vertex_kind(std::string_view text);
/// Nothing for another word.
[[nodiscard]] std::optional<LinkKind> parse_link_kind(std::string_view text);
/// Nothing for another word.
[[nodiscard]] std::optional<PlaceKind> parse_place_kind(std::string_view text);
/// The words for places that are on a vertex: all but "slot".
[[nodiscard]] std::vector<std::string> device_place_names();

/// A device of the machine, or what holds devices.
struct Vertex {
  VertexKind kind = VertexKind::group;  ///< of the device
  std::string name;                     ///< as its source prints it: "GPU0", "mlx5_0", "socket 1"
  std::optional<PciAddress> pci;        ///< bus id, if known
  int numa = -1;                        ///< NUMA domain of the operating system, -1 if not known
  std::string node;                     ///< compute node; empty on a single one
  std::string uuid;                     ///< of a GPU, if known
  std::string cpus;                     ///< Linux cpulist of the nearest processors, if known
  std::optional<VertexId> parent;       ///< next vertex towards the root of the PCIe tree or hierarchy
  GpuVendor vendor{};                   ///< of a GPU, where it is stated and neither NVIDIA's nor AMD's
  int number = -1;                      ///< by which the vendor's programs know a GPU, -1 if no source states it
  CongestionParameters congestion;      ///< of the PCIe links below this vertex
};

/// One direction of a wire.
struct Link {
  VertexId from;                       ///< where bytes enter
  VertexId to;                         ///< where they leave
  LinkKind kind = LinkKind::abstract;  ///< of the wire
  int width = 1;                       ///< links in a bond (NV12: 12); 1 elsewhere
  BytesPerSecond bandwidth;            ///< of this direction; 0 if not known
  Seconds latency;                     ///< 0 if not known
  Provenance source;                   ///< of the rate
};

/// One entry of a switch's forwarding table: data for place `to` leaves the switch by link `by`.
struct Forwarding {
  VertexId at;  ///< the switch
  Place to;     ///< destination
  LinkId by;    ///< begins at the switch
};

/// A position that holds ranks.
struct PlaceEntry {
  PlaceKind kind = PlaceKind::gpu;  ///< what ranks are put on
  VertexId vertex;                  ///< where it is
  int capacity = 1;                 ///< ranks that it can hold
};

}  // namespace topowise
