// SPDX-License-Identifier: BSD-3-Clause
// GPUs of several vendors in one node, where each vendor's software describes only its own GPUs.
#pragma once

#include <string_view>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// The vendor whose software describes all GPUs of the machine: "NVIDIA" for nvidia-smi, NVML or CUDA; empty if nothing
/// tells it.
[[nodiscard]] std::string_view vendor_of_machine(const Topology& machine);

/// The places whose names tell that vendor, in their order; all places if no name tells a vendor.
[[nodiscard]] std::vector<Place> places_of_vendor(const Topology& machine, std::string_view vendor);

/// One node from two descriptions that have no GPU in common and are of different vendors. No source tells how their
/// GPUs meet, so they are SYS apart, over a link of unknown rate. The GPUs are named by their vendors, with a warning.
[[nodiscard]] Topology side_by_side(const Topology& a, const Topology& b);

}  // namespace topowise
