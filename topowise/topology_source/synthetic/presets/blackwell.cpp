// SPDX-License-Identifier: BSD-3-Clause
// Blackwell: NVLink 5, 50 GB/s per link and direction, 18 links per GPU into the NVSwitches. Grace Blackwell comes in
// racks: 18 trays of four GPUs, which are hosts of their own, on one plane of NVSwitches.
#include <fmt/format.h>

#include <array>

#include <topowise/topology_source/node/machine.hpp>
#include <topowise/topology_source/synthetic/presets/groups.hpp>

namespace topowise::preset_group {
namespace {

/// `nvidia-smi topo -m` in github.com/vllm-project/vllm issue 16336: NV18, a NIC PXB to each GPU, NODE to the others of
/// its socket, sockets 0-55,112-167 and 56-111,168-223. PCIe Gen5 x16, eighteen NVLink 5 per GPU, eight ConnectX-7 of
/// 400 Gb/s: github.com/mlcommons/inference_results_v6.0 closed/Nebius/systems/nebius_b200_n1.json.
Topology hgx_b200() {
  Machine machine("hgx-b200");
  const std::array<VertexId, 2> sockets{machine.package(0, "0-55,112-167"), machine.package(1, "56-111,168-223")};
  machine.connect(sockets[0], sockets[1], LinkKind::inter_socket, rate::kUpiSapphireRapids);
  int nic = 0;
  for (const VertexId socket : sockets) {
    for (int i = 0; i < 4; ++i) {
      const VertexId above = machine.pcie_switch(machine.root_complex(socket), rate::kPcie5x16);
      machine.gpu(machine.pcie_switch(above, rate::kPcie5x16), rate::kPcie5x16);
      machine.nic(above, fmt::format("mlx5_{}", nic++), rate::kPort400);
    }
  }
  machine.nvswitch_plane(18, rate::kNvlinkToSwitch5);
  return std::move(machine).build();
}

/// Eight ConnectX-8 of 800 Gb/s are on the board of the GPUs, one per GPU, and are the PCIe switches above them:
/// docs.nvidia.com DGX B300 user guide, "Introduction", and "Optimizing VM Configuration for AI Inference on Blackwell
/// Ultra HGX", "Appendix" (ConnectX-8 17, 39, 5f, 70, 97, b9, dc, ed). B300 has PCIe Gen6 x16 (Fregly, "AI Systems
/// Performance Engineering", 2025, chapter 2), two Xeon 6776P of 64 cores have PCIe Gen5.
Topology hgx_b300() {
  Machine machine("hgx-b300");
  const std::array<VertexId, 2> sockets{machine.package(0, "0-63,128-191"), machine.package(1, "64-127,192-255")};
  machine.connect(sockets[0], sockets[1], LinkKind::inter_socket, rate::kUpiSapphireRapids);
  int nic = 0;
  for (const VertexId socket : sockets) {
    for (int i = 0; i < 4; ++i) {
      const VertexId above = machine.pcie_switch(machine.root_complex(socket), rate::kPcie5x16);
      machine.gpu(above, rate::kPcie6x16);
      machine.nic(above, fmt::format("mlx5_{}", nic++), rate::kPort800);
    }
  }
  machine.nvswitch_plane(18, rate::kNvlinkToSwitch5);
  return std::move(machine).build();
}

/// github.com/NVIDIA/srt-slurm issue 164 (GPUs 0, 1 on Grace 0, cores 0-71; 2, 3 on Grace 1, cores 72-143),
/// github.com/NVIDIA/topograph tests/models/nvl72.yaml, github.com/mlcommons/inference_results_v6.1
/// closed/Crusoe/systems/ GB200-NVL72_GB200-186GB_aarch64x16_Dynamo.json (NV18 inside a tray, 144 cores, four NICs).
/// NVLink-C2C: 900 GB/s in both directions for the two GPUs of a Grace together. Two NICs for the network of the racks
/// on each Grace: docs.nvidia.com "External North-South Network" for GB200 (mlx5_0, 1, 4, 5) and "NVL72 AI Factory",
/// "Components" (GB300: four ConnectX-8). That a ConnectX-8 also has a PCIe Gen6 link to its GPU is left out.
void add_tray(Machine& machine, Rate nic) {
  constexpr Rate kC2c{225.0, 0.30, Basis::nominal};
  const std::array<VertexId, 2> graces{machine.package(0, "0-71"), machine.package(1, "72-143")};
  machine.connect(graces[0], graces[1], LinkKind::inter_socket, rate::kArmSocket);
  int number = 0;
  for (const VertexId grace : graces) {
    for (int i = 0; i < 2; ++i) machine.gpu(grace, kC2c, {.kind = LinkKind::c2c});
    const VertexId root = machine.root_complex(grace);
    for (int i = 0; i < 2; ++i) machine.nic(root, fmt::format("mlx5_{}", number + i), nic);
    number += 4;  // the two between belong to the front-end network
  }
}

Topology tray(std::string name, Rate nic) {
  Machine machine(std::move(name));
  add_tray(machine, nic);
  machine.nvswitch_plane(18, rate::kNvlinkToSwitch5);
  return std::move(machine).build();
}

/// docs.nvidia.com "Multi-Node Tuning Guide", "The 72x1 Configuration": 18 trays of four GPUs, nine trays of
/// NVSwitches.
Topology rack(std::string name, Rate nic) {
  constexpr int kTrays = 18;
  Machine machine(std::move(name));
  for (int t = 0; t < kTrays; ++t) {
    machine.host(fmt::format("tray{}", t));
    add_tray(machine, nic);
  }
  machine.host({});
  machine.nvswitch_plane(18, rate::kNvlinkToSwitch5);
  return std::move(machine).build();
}

Topology gb200_tray() {
  return tray("gb200-tray", rate::kPort400);
}
Topology gb300_tray() {
  return tray("gb300-tray", rate::kPort800);
}
Topology gb200_nvl72() {
  return rack("gb200-nvl72", rate::kPort400);
}
Topology gb300_nvl72() {
  return rack("gb300-nvl72", rate::kPort800);
}

constexpr std::array<Preset, 6> kPresets{
    {{"hgx-b200", "8 B200, NV18 of NVLink 5 for every pair; one 400 Gb/s NIC a GPU", hgx_b200},
     {"hgx-b300", "8 B300, NV18 of NVLink 5 for every pair; one 800 Gb/s NIC a GPU", hgx_b300},
     {"gb200-tray", "4 GPUs of a GB200 tray, NV18 of NVLink 5 for every pair; two Grace, four NICs", gb200_tray},
     {"gb200-nvl72", "72 GPUs of a GB200 rack: 18 trays, NV18 of NVLink 5 for every pair", gb200_nvl72},
     {"gb300-tray", "4 GPUs of a GB300 tray: as gb200-tray, with NICs of 800 Gb/s", gb300_tray},
     {"gb300-nvl72", "72 GPUs of a GB300 rack: as gb200-nvl72, with NICs of 800 Gb/s", gb300_nvl72}}};

}  // namespace

std::span<const Preset> blackwell() {
  return kPresets;
}

}  // namespace topowise::preset_group
