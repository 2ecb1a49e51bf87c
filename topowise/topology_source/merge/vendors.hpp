// SPDX-License-Identifier: BSD-3-Clause
// GPUs of several vendors in one node, where each vendor's software describes only its own GPUs.
#pragma once

#include <vector>

#include <topowise/graph/gpu_vendor.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {

/// The vendor of all GPUs of the machine, by what the description says: who states it ("NVIDIA" for nvidia-smi, NVML or
/// CUDA), the kinds of its bonds, the names of its GPUs. Unknown if nothing states it, or if there are several. The
/// machine's own name, often that of a file, says nothing.
[[nodiscard]] GpuVendor vendor_of_machine(const Topology& machine);

/// The places whose names show that vendor, in their order; all places if no name states a vendor.
[[nodiscard]] std::vector<Place> places_of_vendor(const Topology& machine, GpuVendor vendor);

/// One node from two descriptions that have no GPU in common and are of different vendors. No source says how their
/// GPUs meet, so they are SYS apart, over a link of unknown rate. The GPUs are named by their vendors, with a warning.
[[nodiscard]] Topology side_by_side(const Topology& a, const Topology& b);

}  // namespace topowise
