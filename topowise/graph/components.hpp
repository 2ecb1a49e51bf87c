// SPDX-License-Identifier: BSD-3-Clause
// What the host graph is made of: vertices, links and places, and the words for their kinds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/id.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/congestion_parameters.hpp>
#include <topowise/graph/pci_address.hpp>

namespace topowise {

enum class VertexKind : unsigned char {
  compute_node,
  package,
  numa_domain,
  root_complex,
  pcie_switch,
  gpu,
  nic,
  nvswitch,
  network_switch,
  core,
  group
};
enum class LinkKind : unsigned char {
  pcie,          ///< one PCIe link of a tree
  host,          ///< inside a package: root complex to NUMA domain, NUMA domain to package
  inter_socket,  ///< QPI, UPI, xGMI between packages, X-Bus
  nvlink,        ///< width = links in the bond
  xgmi,          ///< width = links in the bond
  c2c,
  network,
  abstract,  ///< a level of a synthetic hierarchy, or a pair of which only a number is known
};
enum class PlaceKind : unsigned char { gpu, core, node, slot };

/// Links between GPUs themselves (of c2c also to their processor), beside PCIe.
[[nodiscard]] constexpr bool is_bond(LinkKind kind) {
  return kind == LinkKind::nvlink || kind == LinkKind::xgmi || kind == LinkKind::c2c;
}

/// Whether a provenance says that the rate is not known of this machine, but taken for that of most: "nvidia-smi
/// (assumed)".
inline constexpr std::string_view kAssumedRate = "(assumed)";
[[nodiscard]] constexpr bool is_assumed(std::string_view source) {
  return source.ends_with(kAssumedRate);
}

[[nodiscard]] std::string_view to_string(VertexKind kind);
[[nodiscard]] std::string_view to_string(LinkKind kind);
[[nodiscard]] std::string_view to_string(PlaceKind kind);
/// The kind of vertex that such a place stands on; none for a slot.
[[nodiscard]] std::optional<VertexKind> vertex_kind_of(PlaceKind kind);
[[nodiscard]] std::optional<VertexKind> parse_vertex_kind(std::string_view text);
[[nodiscard]] std::optional<LinkKind> parse_link_kind(std::string_view text);
[[nodiscard]] std::optional<PlaceKind> parse_place_kind(std::string_view text);

struct Vertex {
  VertexKind kind = VertexKind::group;
  std::string name;  ///< as its source prints it: "GPU0", "mlx5_0", "socket 1"
  std::optional<PciAddress> pci;
  int numa = -1;                    ///< NUMA domain of the operating system, -1 if not known
  std::string node;                 ///< compute node; empty on a single one
  std::string uuid;                 ///< of a GPU, if known
  std::string cpus;                 ///< Linux cpulist of the nearest processors, if known
  std::optional<VertexId> parent;   ///< next vertex towards the root of the PCIe tree or hierarchy
  CongestionParameters congestion;  ///< of the PCIe links below this vertex
};

struct Link {
  VertexId from;
  VertexId to;
  LinkKind kind = LinkKind::abstract;
  int width = 1;             ///< links in a bond (NV12: 12); 1 elsewhere
  BytesPerSecond bandwidth;  ///< of this direction; 0 if not known
  Seconds latency;           ///< 0 if not known
  std::string source;        ///< provenance: "nvidia-smi", "preset", "measured:p2p", ...
};

/// One entry of a switch's forwarding table: what is for the place leaves the vertex by the link.
struct Forwarding {
  VertexId at;
  Place to;
  LinkId by;
};

struct PlaceEntry {
  PlaceKind kind = PlaceKind::gpu;
  VertexId vertex;
  int capacity = 1;  ///< ranks that it can hold
};

}  // namespace topowise
