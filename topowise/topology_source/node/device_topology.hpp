// SPDX-License-Identifier: BSD-3-Clause
// Makes a Topology from the devices of one machine and the classes of their pairs.
#pragma once

#include <string>

#include <topowise/graph/topology.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>

namespace topowise {

/// The machine. GPUs are the places, in order. The host side is reconstructed from the classes. NVLink and xGMI bonds
/// become links, or one NVSwitch plane where many GPUs are all connected alike. The class of each pair of GPUs is the
/// one in the matrix, whatever the reconstruction gives. `source` becomes Link::source, on a nominal
/// basis where it gives no rate.
[[nodiscard]] Topology build_topology(const std::string& name, const DeviceMatrix& matrix, const Provenance& source,
                                      Warnings& warnings);

}  // namespace topowise
