// SPDX-License-Identifier: BSD-3-Clause
// Servers whose cards have only PCIe. The last two are generated: no matrix of such a server was found, so they have
// the usual wiring of their class.
#include <fmt/format.h>

#include <array>

#include <topowise/topology_source/node/machine.hpp>
#include <topowise/topology_source/synthetic/presets/groups.hpp>

namespace topowise::preset_group {
namespace {

/// ASUS ESC8000A-E12, two EPYC Genoa, four RTX 6000 Ada: github.com/luigifcruz/stelline hardware/asus-esc8000a-e12.md:
/// NODE inside a socket, SYS across; two ConnectX ports (PIX to each other) a socket, NODE to its GPUs.
Topology esc8000a_4() {
  Machine machine("esc8000a-4");
  int nic = 0;
  for (const VertexId socket : machine.two_packages(rate::kAmdSocket)) {
    for (int i = 0; i < 2; ++i) machine.gpu(machine.root_complex(socket), rate::kPcie4x16);
    const VertexId adapter = machine.pcie_switch(machine.root_complex(socket), rate::kPcie5x16);
    for (int i = 0; i < 2; ++i) machine.nic(adapter, fmt::format("mlx5_{}", nic++), rate::kPcie5x16);
  }
  return std::move(machine).build();
}

/// GPUs behind switches, each switch on a host bridge of its own.
Topology generated(std::string name, Rate between_sockets, std::span<const int> gpus_by_switch) {
  Machine machine(std::move(name));
  for (const VertexId socket : machine.two_packages(between_sockets)) {
    for (const int gpus : gpus_by_switch) {
      const VertexId above = machine.pcie_switch(machine.root_complex(socket), rate::kPcie4x16);
      for (int i = 0; i < gpus; ++i) machine.gpu(above, rate::kPcie4x16);
    }
  }
  return std::move(machine).build();
}

Topology l40s_8() {
  return generated("l40s-8", rate::kUpiSapphireRapids, std::array{2, 2});
}

Topology a6000_10() {
  return generated("a6000-10", rate::kAmdSocket, std::array{3, 2});
}

constexpr std::array<Preset, 3> kPresets{
    {{"esc8000a-4", "4 RTX 6000 Ada: NODE inside a socket, SYS across", esc8000a_4},
     {"l40s-8", "8 L40S: PIX pairs, NODE, SYS (generated)", l40s_8},
     {"a6000-10", "10 RTX A6000: PIX groups of 3 and 2, NODE, SYS (generated)", a6000_10}}};

}  // namespace

std::span<const Preset> pcie_servers() {
  return kPresets;
}

}  // namespace topowise::preset_group
