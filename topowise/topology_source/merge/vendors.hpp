// SPDX-License-Identifier: BSD-3-Clause
// GPUs of several vendors in one node, of which each vendor's software describes its own.
#pragma once

#include <string_view>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// The vendor whose software describes all GPUs of the machine: "NVIDIA" by nvidia-smi, NVML or CUDA; empty if nothing
/// tells.
[[nodiscard]] std::string_view vendor_of_machine(const Topology& machine);

/// The places whose names tell that vendor, in their order; all if no name tells any.
[[nodiscard]] std::vector<Place> places_of_vendor(const Topology& machine, std::string_view vendor);

/// One node out of two descriptions that have no GPU in common, each of another vendor, where nobody tells how their
/// GPUs meet: SYS apart, over a link of unknown rate. The GPUs are named by their vendors, with a warning.
[[nodiscard]] Topology side_by_side(const Topology& a, const Topology& b);

}  // namespace topowise
