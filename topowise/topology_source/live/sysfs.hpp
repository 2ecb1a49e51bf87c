// SPDX-License-Identifier: BSD-3-Clause
// The GPUs on the PCI buses of this machine as Linux lists them, whoever may use them.
#pragma once

#include <string>
#include <vector>

#include <topowise/graph/pci_address.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>

namespace topowise {

struct BusGpu {
  PciAddress pci;
  int vendor = 0;                   ///< 0x10de: NVIDIA, 0x1002: AMD
  int numa = -1;                    ///< -1 if not known
  std::string cpus;                 ///< Linux cpulist, empty if not known
  BytesPerSecond bandwidth;         ///< the most that both the device and its slot can carry; 0 if not known
  std::vector<PciAddress> bridges;  ///< from the root port down; empty in virtual machines
  std::string root;                 ///< "pci0000:00", the host bridge
};

inline constexpr int kNvidiaVendor = 0x10de;
inline constexpr int kAmdVendor = 0x1002;

/// The GPUs, sorted by bus id. `folder` is /sys/bus/pci/devices; a folder that is missing has no GPUs.
[[nodiscard]] std::vector<BusGpu> gpus_on_bus(const std::string& folder);
/// Graphics inside the processor. A driver may list it among its GPUs.
[[nodiscard]] std::vector<PciAddress> integrated_on_bus(const std::string& folder);

[[nodiscard]] Device device_of(const BusGpu& gpu, std::string name);
/// The class of the point where the ways of two GPUs meet.
[[nodiscard]] PathClass path_between(const BusGpu& a, const BusGpu& b);

/// The PCI tree above the GPUs, which are the places. `gpus` must not be empty.
[[nodiscard]] Topology topology_of(const std::vector<BusGpu>& gpus);

}  // namespace topowise
