// SPDX-License-Identifier: BSD-3-Clause
// NVLink between neighbours only: hybrid cube meshes of 8 GPUs.
#include <fmt/format.h>

#include <array>

#include <topowise/topology_source/node/machine.hpp>
#include <topowise/topology_source/synthetic/presets/groups.hpp>

namespace topowise::preset_group {
namespace {

/// The PCIe side of both DGX-1: two sockets, two switches each, two GPUs and one HCA (EDR) a switch.
Machine dgx1_host(std::string name) {
  Machine machine(std::move(name));
  const std::array<VertexId, 2> sockets = machine.two_packages(rate::kQpi);
  int hca = 0;
  for (const VertexId socket : sockets) {
    const VertexId root = machine.root_complex(socket);
    for (int i = 0; i < 2; ++i) {
      const VertexId above = machine.pcie_switch(root, rate::kPcie3x16);
      machine.gpu(above, rate::kPcie3x16);
      machine.gpu(above, rate::kPcie3x16);
      machine.nic(above, fmt::format("mlx5_{}", hca++), rate::kPort100);
    }
  }
  return machine;
}

/// Edges as in github.com/socal-ucr/MAPA src/GpuTopology.hh.
constexpr std::array<int, 64> kDgx1P100{0, 1, 1, 1, 1, 0, 0, 0,  //
                                        1, 0, 1, 1, 0, 1, 0, 0,  //
                                        1, 1, 0, 1, 0, 0, 1, 0,  //
                                        1, 1, 1, 0, 0, 0, 0, 1,  //
                                        1, 0, 0, 0, 0, 1, 1, 1,  //
                                        0, 1, 0, 0, 1, 0, 1, 1,  //
                                        0, 0, 1, 0, 1, 1, 0, 1,  //
                                        0, 0, 0, 1, 1, 1, 1, 0};

Topology dgx1_p100() {
  Machine machine = dgx1_host("dgx1-p100");
  machine.bonds(LinkKind::nvlink, rate::kNvlink1, kDgx1P100);
  return std::move(machine).build();
}

/// The `nvidia-smi topo -m` matrix in github.com/Azure/msccl-tools tests/test_topologies.py, and the same machine in
/// github.com/rapidsai/ucx-py docs/source/ucx-debug.rst. Other captures number the GPUs otherwise.
constexpr std::array<int, 64> kDgx1V100{0, 1, 1, 2, 2, 0, 0, 0,  //
                                        1, 0, 2, 1, 0, 2, 0, 0,  //
                                        1, 2, 0, 2, 0, 0, 1, 0,  //
                                        2, 1, 2, 0, 0, 0, 0, 1,  //
                                        2, 0, 0, 0, 0, 1, 1, 2,  //
                                        0, 2, 0, 0, 1, 0, 2, 1,  //
                                        0, 0, 1, 0, 1, 2, 0, 2,  //
                                        0, 0, 0, 1, 2, 1, 2, 0};

Topology dgx1_v100() {
  Machine machine = dgx1_host("dgx1-v100");
  machine.bonds(LinkKind::nvlink, rate::kNvlink2, kDgx1V100);
  return std::move(machine).build();
}

constexpr std::array<Preset, 2> kPresets{{{"dgx1-p100", "8 GPUs: hybrid cube mesh of single NVLink 1", dgx1_p100},
                                          {"dgx1-v100", "8 GPUs: hybrid cube mesh of one or two NVLink 2", dgx1_v100}}};

}  // namespace

std::span<const Preset> cube_meshes() {
  return kPresets;
}

}  // namespace topowise::preset_group
