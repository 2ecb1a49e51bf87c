// SPDX-License-Identifier: BSD-3-Clause
// Intel Data Center GPU Max: two tiles a card, each a place of its own; Xe Link between the cards.
#include <fmt/format.h>

#include <array>

#include <topowise/topology_source/node/machine.hpp>
#include <topowise/topology_source/synthetic/presets/groups.hpp>

namespace topowise::preset_group {
namespace {

/// Aurora: github.com/argonne-lcf/user-guides docs/aurora/node-performance-overview: measured 158.5 GB/s from one tile
/// to the other of its card (173.6 back; 185 in other runs), 18.9 to each tile of another card (15.8 back). Three cards
/// a Xeon Max. From tile 0 only the slower direction inside a card and the faster direction of Xe Link were measured,
/// so each number stands for both directions of all such pairs. An Xe Link's peak is 28 GB/s ("Scaling MPI Applications
/// on Aurora", arXiv 2512.04291). Eight Slingshot 11 NICs (docs.alcf.anl.gov, "Aurora machine overview"), four a Xeon.
/// No source says on which of its roots they hang, so each has its own.
Topology aurora_pvc() {
  constexpr Rate kTiles{158.5, 0.30, Basis::measured};
  constexpr Rate kXeLink{18.9, 0.70, Basis::measured};
  Machine machine("aurora-pvc");
  int card = 0;
  int nic = 0;
  for (const VertexId socket : machine.two_packages(rate::kUpiSapphireRapids)) {
    for (int i = 0; i < 3; ++i, ++card) {
      const VertexId above = machine.pcie_switch(machine.root_complex(socket), rate::kPcie5x16);
      for (int tile = 0; tile < 2; ++tile)
        machine.gpu(above, rate::kPcie5x16, {.name = fmt::format("GPU{}.{}", card, tile)});
    }
    for (int i = 0; i < 4; ++i) machine.nic(machine.root_complex(socket), fmt::format("cxi{}", nic++), rate::kPort200);
  }
  for (std::size_t a = 0; a < machine.gpu_count(); ++a) {
    for (std::size_t b = a + 1; b < machine.gpu_count(); ++b) {
      const bool one_card = a / 2 == b / 2;
      machine.connect(machine.gpu_vertex(a), machine.gpu_vertex(b), one_card ? LinkKind::c2c : LinkKind::abstract,
                      one_card ? kTiles : kXeLink);
      if (!one_card) machine.builder().set_class(Place(a), Place(b), {PathKind::measured, 2});
    }
  }
  return std::move(machine).build();
}

constexpr std::array<Preset, 1> kPresets{
    {{"aurora-pvc", "12 tiles of 6 Max 1550: C2C inside a card, Xe Link between (measured)", aurora_pvc}}};

}  // namespace

std::span<const Preset> max_series_nodes() {
  return kPresets;
}

}  // namespace topowise::preset_group
