// SPDX-License-Identifier: BSD-3-Clause
// The host side of a machine, reconstructed from the classes of its pairs of devices.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <topowise/topology_source/node/device_matrix.hpp>

namespace topowise {

/// The level at which two devices meet, nearest first.
enum class HostLevel : unsigned char { pcie_switch, pcie_tree, root_complex, domain };
inline constexpr std::size_t kHostLevels = 4;

/// By level: for each device the number of its group, which is the index of the group's first device.
struct HostTree {
  std::array<std::vector<std::size_t>, kHostLevels> groups;

  [[nodiscard]] std::size_t group(HostLevel level, std::size_t device) const {
    return groups[static_cast<std::size_t>(level)][device];
  }
  /// The class that two devices have in this tree: PIX, PXB, PHB, NODE or SYS.
  [[nodiscard]] PathClass path(std::size_t a, std::size_t b) const;
};

/// Groups devices by their classes, and by their NUMA domain where NVLink hides the class.
[[nodiscard]] HostTree cluster_host(const DeviceMatrix& matrix);

/// Adds the vertices of the devices, everything above them and the links between. The provenance of a link is `source`
/// with the basis of its rate. Returns the vertex of each device.
[[nodiscard]] std::vector<VertexId> add_host(TopologyBuilder& builder, const DeviceMatrix& matrix, const HostTree& tree,
                                             const Provenance& source);

}  // namespace topowise
