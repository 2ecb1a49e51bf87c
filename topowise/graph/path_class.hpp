// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How two places reach each other, as one comparable class: NV12 before PIX before SYS.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace topowise {

/// The kind of the path between two places. The PCI names are those of NVIDIA's tools and NVML.
enum class PathKind : unsigned char {
  self,         ///< a place and itself
  nvlink,       ///< direct or through NVSwitches; grade = links in the bond (NV12)
  xgmi,         ///< AMD Infinity Fabric, direct; grade = links in the bond
  xgmi_relay,   ///< Infinity Fabric through other GPUs; grade = hops
  c2c,          ///< chip to chip inside one module
  vendor_link,  ///< another vendor's own link (MetaXLink, HCCS, MTLink, Xe Link); grade = its count, 1 if not counted
  same_board,   ///< PSB: two GPUs of one board behind the board's own switch (NVML INTERNAL)
  pix,          ///< at most one PCIe bridge or switch
  pxb,          ///< several PCIe switches, no host bridge
  phb,          ///< through one PCIe host bridge (root complex)
  node,         ///< between host bridges of one NUMA domain
  sys,          ///< across the inter-socket link
  network,      ///< between compute nodes; grade = network switches crossed
  tree,         ///< level of a synthetic hierarchy; grade = levels climbed, from 1
  measured,     ///< only a number is known; grade = rank of its cluster, from 1
  unconnected,  ///< no route, as between the trees of a forest
};

/// Where a machine has pairs of a class.
enum class LevelScope : unsigned char {
  inside,   ///< inside compute nodes, or on direct bonds, wherever they lead
  mixed,    ///< inside compute nodes and between them
  between,  ///< only between compute nodes
};

/// Ordered nearest first within a kind of source: a wider NVLink, xGMI or vendor's bond is nearer, a smaller grade of
/// the other kinds is nearer.
struct PathClass {
  PathKind kind = PathKind::self;  ///< compared first
  int grade = 0;                   ///< 0 for kinds that have no grade

  friend bool operator==(const PathClass&, const PathClass&) = default;
  friend std::strong_ordering operator<=>(const PathClass& a, const PathClass& b);
};

/// True for a direct bond between GPUs, which leaves nothing on its way: NVLink, xGMI, C2C, another vendor's link.
[[nodiscard]] constexpr bool is_bond(PathClass path) {
  return path.kind >= PathKind::nvlink && path.kind <= PathKind::vendor_link;
}

/// "X", "NV12", "XGMI4", "XGMIH2", "C2C", "LINK" (one link, or not counted), "LINK2", "PSB", "PIX", "PXB", "PHB",
/// "NODE", "SYS", "NET2", "T1", "M1", "NONE".
[[nodiscard]] std::string to_string(PathClass path);
/// The reverse of to_string(); also "SOC" (the old name of SYS). Nothing for an unknown word.
[[nodiscard]] std::optional<PathClass> parse_path_class(std::string_view text);

}  // namespace topowise
