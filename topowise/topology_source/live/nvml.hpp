// SPDX-License-Identifier: BSD-3-Clause
// The GPUs of this machine as NVIDIA's management library tells them.
#pragma once

#include <topowise/device/nvml.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

/// The machine; GPUs are the places, in NVML's order. What NVML could not answer, pairs without peer access and
/// partitioned GPUs become warnings. `report` must have a GPU.
[[nodiscard]] Topology topology_of(const nvml::Report& report);

}  // namespace topowise
