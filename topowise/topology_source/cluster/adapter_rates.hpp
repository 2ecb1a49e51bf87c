// SPDX-License-Identifier: BSD-3-Clause
// What the PCIe links of a node tell of the rates of its adapters.
#pragma once

#include <topowise/graph/topology.hpp>

namespace topowise {

/// The rate of the fastest PCIe link of a GPU, else of any device; that of generation 4 if no PCIe link is described.
[[nodiscard]] BytesPerSecond fastest_slot(const Topology& machine);

/// The fastest link that leaves a vertex; null if none does.
[[nodiscard]] const Link* fastest_link(const Topology& machine, VertexId from);

/// Presets give an adapter's link the rate of its port where that is known. Such a rate is a multiple of 100 Gb/s,
/// which no slot has.
[[nodiscard]] bool states_port(const Link& link);

}  // namespace topowise
