// SPDX-License-Identifier: BSD-3-Clause
// NVSwitch: every GPU has all its NVLinks into the switches, so every pair can use all of them. The choice of a rank's
// GPU matters here only for the NIC, the cores and the memory that are near.
#include <fmt/format.h>

#include <array>

#include <topowise/topology_source/node/machine.hpp>
#include <topowise/topology_source/synthetic/presets/groups.hpp>

namespace topowise::preset_group {
namespace {

/// hwloc's own capture (tests/hwloc/xml/nvidiaDGX2.xml) for the PCI tree: two Xeon 8168, two host bridges each, a
/// switch with two switches below it, two GPUs on each. Six NVLinks a GPU, one to each NVSwitch of its board; two
/// boards of six. `nvidia-smi topo -m` says NV6 for every pair (github.com/NVIDIA/nccl-tests issue 78).
Topology dgx2() {
  Machine machine("dgx2");
  for (const VertexId socket : machine.two_packages(rate::kUpiSkylake)) {
    for (int bridge = 0; bridge < 2; ++bridge) {
      const VertexId upper = machine.pcie_switch(machine.root_complex(socket), rate::kPcie3x16);
      for (int i = 0; i < 2; ++i) {
        const VertexId lower = machine.pcie_switch(upper, rate::kPcie3x16);
        machine.gpu(lower, rate::kPcie3x16);
        machine.gpu(lower, rate::kPcie3x16);
      }
    }
  }
  machine.nvswitch_plane(6, rate::kNvlinkToSwitch2);
  return std::move(machine).build();
}

/// github.com/NVIDIA/nccl issue 1505: NV12 everywhere; GPUs on NUMA domains 3, 3, 1, 1, 7, 7, 5, 5 of two EPYC 7742 in
/// NPS4; two HCAs of 200 Gb/s PXB from each pair of GPUs. The four storage HCAs, SYS from all GPUs, are left out.
Topology dgx_a100() {
  Machine machine("dgx-a100");
  const std::array<VertexId, 2> sockets = machine.two_packages(rate::kAmdSocket, {-1, -1});
  std::array<VertexId, 8> domains;
  for (int numa = 0; numa < 8; ++numa) {
    const std::string cpus = fmt::format("{}-{},{}-{}", 16 * numa, 16 * numa + 15, 128 + 16 * numa, 143 + 16 * numa);
    domains[static_cast<std::size_t>(numa)] =
        machine.numa_domain(sockets[static_cast<std::size_t>(numa / 4)], numa, cpus);
  }
  int hca = 0;
  for (const std::size_t numa : {3, 1, 7, 5}) {
    const VertexId upper = machine.pcie_switch(machine.root_complex(domains[numa]), rate::kPcie4x16);
    const VertexId gpu_side = machine.pcie_switch(upper, rate::kPcie4x16);
    machine.gpu(gpu_side, rate::kPcie4x16);
    machine.gpu(gpu_side, rate::kPcie4x16);
    const VertexId hca_side = machine.pcie_switch(upper, rate::kPcie4x16);
    for (int i = 0; i < 2; ++i) machine.nic(hca_side, fmt::format("mlx5_{}", hca++), rate::kPort200);
  }
  machine.nvswitch_plane(12, rate::kNvlinkToSwitch2);
  return std::move(machine).build();
}

/// github.com/liguodongiot/llm-action docs/llm-base/a800-env-install.md: NV8 everywhere; NICs PIX to GPUs 1, 3 and two
/// to 7, NODE to the rest of the socket.
Topology hgx_a800() {
  Machine machine("hgx-a800");
  int nic = 0;
  int gpu = 0;
  for (const VertexId socket : machine.two_packages(rate::kAmdSocket)) {
    for (int i = 0; i < 4; ++i, ++gpu) {
      const VertexId above = machine.pcie_switch(machine.root_complex(socket), rate::kPcie4x16);
      machine.gpu(above, rate::kPcie4x16);
      const int nics = gpu == 7 ? 2 : (gpu == 1 || gpu == 3) ? 1 : 0;
      for (int n = 0; n < nics; ++n) machine.nic(above, fmt::format("mlx5_{}", nic++), rate::kPcie4x16);
    }
  }
  machine.nvswitch_plane(8, rate::kNvlinkToSwitch2);
  return std::move(machine).build();
}

/// Two Sapphire Rapids, a switch with one NIC for each GPU: github.com/oracle-quickstart/oci-hpc
/// samples/gpu/H100-topology.xml (two ports of 200 Gb/s a GPU, here one NIC; 18 NVLinks a GPU: 5 + 5 + 4 + 4 into four
/// NVSwitches), and for H200 github.com/dw-flyingw/GLM-5.2-FP8 topo.txt.
Topology hgx_hopper(std::string name) {
  Machine machine(std::move(name));
  int nic = 0;
  for (const VertexId socket : machine.two_packages(rate::kUpiSapphireRapids)) {
    for (int i = 0; i < 4; ++i) {
      const VertexId above = machine.pcie_switch(machine.root_complex(socket), rate::kPcie5x16);
      machine.gpu(above, rate::kPcie5x16);
      machine.nic(above, fmt::format("mlx5_{}", nic++), rate::kPort400);
    }
  }
  machine.nvswitch_plane(18, rate::kNvlinkToSwitch2);
  return std::move(machine).build();
}
Topology hgx_h100() {
  return hgx_hopper("hgx-h100");
}
Topology hgx_h200() {
  return hgx_hopper("hgx-h200");
}

constexpr std::array<Preset, 5> kPresets{
    {{"dgx2", "16 V100, NV6 for every pair through 12 NVSwitches", dgx2},
     {"dgx-a100", "8 A100, NV12 for every pair through 6 NVSwitches", dgx_a100},
     {"hgx-a800", "8 A800, NV8 for every pair; 4 NICs, none near GPUs 4 to 6", hgx_a800},
     {"hgx-h100", "8 H100, NV18 for every pair; one NIC a GPU", hgx_h100},
     {"hgx-h200", "8 H200, NV18 for every pair; one NIC a GPU", hgx_h200}}};

}  // namespace

std::span<const Preset> nvswitch_nodes() {
  return kPresets;
}

}  // namespace topowise::preset_group
