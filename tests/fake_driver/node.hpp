// SPDX-License-Identifier: BSD-3-Clause
// The virtual node: GPUs made from a topology, with the names by which driver and management library know them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <topowise/graph/pci_address.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise::fake {

using UuidBytes = std::array<unsigned char, 16>;

/// A part of a GPU that acts as a GPU of its own (MIG).
struct Instance {
  std::string uuid;  ///< "MIG-..."
  UuidBytes uuid_bytes{};
};

struct Gpu {
  int index = 0;  ///< from 0, in the order of the topology's places
  Place place{0};
  std::string name;  ///< contains the word that says that it is simulated
  std::string uuid;  ///< from the topology, or else made from the index: "GPU-..."
  UuidBytes uuid_bytes{};
  PciAddress pci;  ///< from the topology, or else 0000:(10 + index):00.0 with a hexadecimal bus
  int numa = -1;
  std::string cpus;                 ///< Linux cpulist
  std::vector<Instance> instances;  ///< not empty: MIG is enabled
};

struct Node {
  Topology topology;
  std::vector<Gpu> gpus;
};

/// The GPUs of the topology's first compute node; if it has no GPUs, its places of any kind.
[[nodiscard]] std::vector<Gpu> gpus_of(const Topology& topology, const std::string& instances);

/// The node of environment(). Throws what read_topology() throws.
[[nodiscard]] Node read_node();

}  // namespace topowise::fake
