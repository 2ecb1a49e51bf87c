// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of this machine as NVIDIA's management library states them.
#pragma once

#include <topowise/device/nvml.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

/// The machine; its places are the GPUs, in NVML's order. Warns of what NVML could not answer, of pairs without peer
/// access and of partitioned GPUs. `report` must have a GPU.
[[nodiscard]] Topology topology_of(const nvml::Report& report);

}  // namespace topowise
