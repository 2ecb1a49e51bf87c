// SPDX-License-Identifier: BSD-3-Clause
// Machines of dual-GPU boards (Tesla K80) behind PCIe switches. A K80 is two GPUs behind the board's own switch.
#include <array>

#include <topowise/topology_source/node/machine.hpp>
#include <topowise/topology_source/synthetic/presets/groups.hpp>

namespace topowise::preset_group {
namespace {

/// The bandwidth between the two GPUs of one K80 as Martinasso et al. (SC'16) measured it: 11.6 GiB/s.
constexpr Rate kK80Measured{11.6 * 1.073741824, 0.15, Basis::measured};

void k80_board(Machine& machine, VertexId above, Rate rate) {
  const VertexId board = machine.pcie_switch(above, rate);
  machine.gpu(board, rate);
  machine.gpu(board, rate);
}

/// Helios-K80, Universite Laval: Faraji, Mirsadeghi, Afsahi, "Topology-Aware GPU Selection on Multi-GPU Nodes" (AsHES
/// 2016), figure 1 and the talk's figure: 16 GPUs, 8 boards of two, pairs of boards under a switch (level 1), two such
/// switches under each socket's host bridge (level 2), QPI between the sockets (level 3). Reconstructed: the paper
/// prints no pair matrix. Two Xeon E5-2697 v2: PCIe 3.
Topology helios_k80() {
  Machine machine("helios-k80");
  const std::array<VertexId, 2> sockets = machine.two_packages(rate::kQpi);
  for (const VertexId socket : sockets) {
    const VertexId root = machine.root_complex(socket);
    for (int pair = 0; pair < 2; ++pair) {
      const VertexId above = machine.pcie_switch(root, rate::kPcie3x16);
      k80_board(machine, above, rate::kPcie3x16);
      k80_board(machine, above, rate::kPcie3x16);
    }
  }
  return std::move(machine).build();
}

/// Testbed T1 of Martinasso et al., "A PCIe Congestion-Aware Performance Model for Densely Populated Accelerator
/// Servers" (SC'16), figure 1: four K80 behind one 5-port switch.
Topology cs_storm_t1() {
  Machine machine("cs-storm-t1");
  const VertexId above = machine.pcie_switch(machine.root_complex(), kK80Measured);
  for (int board = 0; board < 4; ++board) k80_board(machine, above, kK80Measured);
  return std::move(machine).build();
}

/// Testbed T2, same figure: one socket of a Cray CS-Storm node, two 3-port switches joined by the root complex.
Topology cs_storm_t2() {
  Machine machine("cs-storm-t2");
  const VertexId root = machine.root_complex();
  for (int side = 0; side < 2; ++side) {
    const VertexId above = machine.pcie_switch(root, kK80Measured);
    k80_board(machine, above, kK80Measured);
    k80_board(machine, above, kK80Measured);
  }
  return std::move(machine).build();
}

/// A `nvidia-smi topo -m` matrix in github.com/lattice/quda issue 669 (2018-01-09): PIX in a board, PXB between the two
/// boards of a socket, SYS across; the HCA hangs on socket 1 (PHB).
Topology k80_4boards() {
  Machine machine("k80-4boards");
  const std::array<VertexId, 2> sockets = machine.two_packages(rate::kQpi);
  for (const VertexId socket : sockets) {
    const VertexId root = machine.root_complex(socket);
    const VertexId above = machine.pcie_switch(root, rate::kPcie3x16);
    k80_board(machine, above, rate::kPcie3x16);
    k80_board(machine, above, rate::kPcie3x16);
    if (socket == sockets[1]) machine.nic(root, "mlx5_0", rate::kPcie3x16);
  }
  return std::move(machine).build();
}

constexpr std::array<Preset, 4> kPresets{
    {{"helios-k80", "16 GPUs: 8 K80 boards, 4 a socket; levels PIX PXB PHB SYS (reconstructed)", helios_k80},
     {"cs-storm-t1", "8 GPUs: 4 K80 boards behind one switch (SC'16 testbed T1)", cs_storm_t1},
     {"cs-storm-t2", "8 GPUs: 4 K80 boards, two switches joined by the root complex (SC'16 testbed T2)", cs_storm_t2},
     {"k80-4boards", "8 GPUs: 4 K80 boards, 2 a socket", k80_4boards}}};

}  // namespace

std::span<const Preset> pcie_trees() {
  return kPresets;
}

}  // namespace topowise::preset_group
