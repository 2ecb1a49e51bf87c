// SPDX-License-Identifier: BSD-3-Clause
// AMD Instinct: xGMI between GPUs, in bonds of different width. An MI250 or MI250X is two GPUs ("GCDs") in one package.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include <topowise/topology_source/node/machine.hpp>
#include <topowise/topology_source/synthetic/presets/groups.hpp>

namespace topowise::preset_group {
namespace {

/// Frontier, LUMI, Tioga: github.com/ROCm/rccl src/graph/rome_models.cc models 71 to 74. OLCF's user guide agrees: 200
/// GB/s inside a package, 50 to 100 between.
constexpr std::array<int, 64> kMi250x{0, 4, 1, 0, 0, 0, 2, 0,  //
                                      4, 0, 0, 1, 0, 1, 0, 0,  //
                                      1, 0, 0, 4, 2, 0, 0, 0,  //
                                      0, 1, 4, 0, 0, 0, 0, 1,  //
                                      0, 0, 2, 0, 0, 4, 1, 0,  //
                                      0, 1, 0, 0, 4, 0, 0, 1,  //
                                      2, 0, 0, 0, 1, 0, 0, 4,  //
                                      0, 0, 0, 1, 0, 1, 4, 0};

/// One EPYC 7A53 in NPS4; GPUs on NUMA domains 3, 3, 1, 1, 0, 0, 2, 2 and on the L3 caches below (LUMI's lumig.md,
/// Frontier's user guide); a Slingshot NIC on each package, at its second GCD; 36 GB/s between a GCD and the processor.
/// Bus ids as in LLNL's capture of Tioga.
Topology mi250x() {
  struct Gcd {
    int numa;
    std::string_view cpus, bus_id;
  };
  constexpr std::array<Gcd, 8> kGcds{{{3, "48-55,112-119", "0000:c1:00.0"},
                                      {3, "56-63,120-127", "0000:c6:00.0"},
                                      {1, "16-23,80-87", "0000:c9:00.0"},
                                      {1, "24-31,88-95", "0000:ce:00.0"},
                                      {0, "0-7,64-71", "0000:d1:00.0"},
                                      {0, "8-15,72-79", "0000:d6:00.0"},
                                      {2, "32-39,96-103", "0000:d9:00.0"},
                                      {2, "40-47,104-111", "0000:de:00.0"}}};
  constexpr Rate kToProcessor{36.0, 0.30, Basis::nominal};
  Machine machine("mi250x");
  const VertexId socket = machine.package();
  std::array<VertexId, 4> domains;
  for (int numa = 0; numa < 4; ++numa) domains[static_cast<std::size_t>(numa)] = machine.numa_domain(socket, numa);
  int nic = 0;
  for (std::size_t i = 0; i < kGcds.size(); ++i) {
    const Gcd& gcd = kGcds[i];
    const VertexId root = machine.root_complex(domains[static_cast<std::size_t>(gcd.numa)], std::string(gcd.cpus));
    machine.gpu(root, kToProcessor, {.bus_id = gcd.bus_id});
    if (i % 2 == 1) machine.nic(root, fmt::format("hsn{}", nic++), rate::kPort200);
  }
  machine.bonds(LinkKind::xgmi, rate::kXgmi50, kMi250x);
  return std::move(machine).build();
}

/// github.com/ROCm/rccl tools/topo_expl/models/topo_8p1h.xml, models 66 and 67: two sockets, NUMA domains 1 and 3, a
/// switch with four GCDs and two NICs behind further switches on each.
constexpr std::array<int, 64> kMi250{0, 4, 0, 0, 2, 0, 1, 0,  //
                                     4, 0, 0, 1, 0, 0, 0, 1,  //
                                     0, 0, 0, 4, 1, 0, 2, 0,  //
                                     0, 1, 4, 0, 0, 1, 0, 0,  //
                                     2, 0, 1, 0, 0, 4, 0, 0,  //
                                     0, 0, 0, 1, 4, 0, 0, 1,  //
                                     1, 0, 2, 0, 0, 0, 0, 4,  //
                                     0, 1, 0, 0, 0, 1, 4, 0};

Topology mi250_8() {
  Machine machine("mi250-8");
  int nic = 0;
  for (const VertexId socket : machine.two_packages(rate::kAmdSocket, {1, 3})) {
    const VertexId upper = machine.pcie_switch(machine.root_complex(socket), rate::kPcie4x16);
    const VertexId gpu_side = machine.pcie_switch(upper, rate::kPcie4x16);
    for (int i = 0; i < 4; ++i) machine.gpu(gpu_side, rate::kPcie4x16);
    const VertexId nic_side = machine.pcie_switch(upper, rate::kPcie4x16);
    for (int i = 0; i < 2; ++i, nic += 2) machine.nic(nic_side, fmt::format("mlx5_{}", nic), rate::kPcie4x16);
  }
  machine.bonds(LinkKind::xgmi, rate::kXgmi50, kMi250);
  return std::move(machine).build();
}

/// Adds one bond between each two GPUs.
void join_all(Machine& machine, Rate rate, int width = 1) {
  for (std::size_t a = 0; a < machine.gpu_count(); ++a) {
    for (std::size_t b = a + 1; b < machine.gpu_count(); ++b)
      machine.connect(machine.gpu_vertex(a), machine.gpu_vertex(b), LinkKind::xgmi, rate, width);
  }
}

/// Eight GPUs on two sockets, each behind a switch with a NIC of 400 Gb/s of its own, one xGMI link between each two.
Topology eight_with_nics(std::string name, Rate between_sockets, Rate xgmi) {
  Machine machine(std::move(name));
  int nic = 0;
  for (const VertexId socket : machine.two_packages(between_sockets)) {
    for (int i = 0; i < 4; ++i) {
      const VertexId above = machine.pcie_switch(machine.root_complex(socket), rate::kPcie5x16);
      machine.gpu(machine.pcie_switch(above, rate::kPcie5x16), rate::kPcie5x16);
      machine.nic(above, fmt::format("mlx5_{}", nic++), rate::kPort400);
    }
  }
  join_all(machine, xgmi);
  return std::move(machine).build();
}

/// github.com/ROCm/rccl tools/topo_expl/models/topo_8p_940.xml. 64 GB/s per link: 32 Gb/s x 16, as amd-smi prints it.
Topology mi300x() {
  return eight_with_nics("mi300x", rate::kUpiSapphireRapids, rate::kXgmi64);
}

/// The same platform board as MI300X. MI325X: seven links a GPU of 64 GB/s (github.com/stas00/ml-engineering
/// network/README.md). MI350X and MI355X: 153.6 GB/s both ways between each two, PCIe Gen5 x16 to one of two EPYC 9575F
/// (AMD at Hot Chips 2025; github.com/mlcommons/inference_results_v6.1
/// closed/Crusoe/systems/512xMI355X_Crusoe_GPT.json: eight NICs of 400 Gb/s). The position of switches and NICs is
/// taken from MI300X.
Topology mi325x() {
  return eight_with_nics("mi325x", rate::kAmdSocket, rate::kXgmi64);
}
Topology mi350x() {
  return eight_with_nics("mi350x", rate::kAmdSocket, rate::kXgmi76);
}
Topology mi355x() {
  return eight_with_nics("mi355x", rate::kAmdSocket, rate::kXgmi76);
}

/// github.com/ROCm/rccl tools/topo_expl/models/topo_4p_940.xml: four APUs, each its own socket and NUMA domain (GPUs 0
/// to 3 on 2, 3, 0, 1), one Slingshot NIC each. Two links between each two, 256 GB/s both ways: hpc.llnl.gov, "Hardware
/// of the El Capitan systems" (node 1244); RCCL's file counts the bond as one.
Topology mi300a() {
  Machine machine("mi300a");
  std::array<VertexId, 4> sockets;
  for (std::size_t i = 0; i < 4; ++i) {
    const int numa = std::array{2, 3, 0, 1}[i];
    sockets[i] =
        machine.package(numa, fmt::format("{}-{},{}-{}", 24 * numa, 24 * numa + 23, 96 + 24 * numa, 119 + 24 * numa));
    for (std::size_t j = 0; j < i; ++j)
      machine.connect(sockets[j], sockets[i], LinkKind::inter_socket, rate::kAmdSocket);
    const VertexId root = machine.root_complex(sockets[i]);
    machine.gpu(root, rate::kInside, {.kind = LinkKind::host});
    machine.nic(root, fmt::format("cxi{}", i), rate::kPort200);
  }
  join_all(machine, rate::kXgmi64, 2);
  return std::move(machine).build();
}

/// github.com/ROCm/rccl tools/topo_expl/models/topo_4p4h.xml: four fully joined islands of four, not in order:
/// {0,5,6,7}, {1,2,3,4}, {8..11}, {12..15}; two switches of eight below one processor. 23 GT/s x 16: rocm.docs.amd.com,
/// "MI100 microarchitecture".
Topology mi100_16() {
  constexpr std::array<int, 16> kIsland{0, 1, 1, 1, 1, 0, 0, 0, 2, 2, 2, 2, 3, 3, 3, 3};
  Machine machine("mi100-16");
  const VertexId root = machine.root_complex(machine.package(1));
  for (int i = 0; i < 2; ++i) {
    const VertexId above = machine.pcie_switch(root, rate::kPcie4x16);
    for (int g = 0; g < 8; ++g) machine.gpu(above, rate::kPcie3x16);
  }
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = a + 1; b < 16; ++b) {
      if (kIsland[a] == kIsland[b])
        machine.connect(machine.gpu_vertex(a), machine.gpu_vertex(b), LinkKind::xgmi, rate::kXgmiMi50);
    }
  }
  return std::move(machine).build();
}

/// github.com/ROCm/rccl tools/topo_expl/models/topo_8p_rome_n2.xml: rings 0-1-2-6 and 3-5-4-7 that cross the NUMA
/// domains 1, 0, 1, 2, 3, 1, 2, 3 of two EPYC.
Topology mi50_8_rome() {
  constexpr std::array<std::size_t, 8> kNuma{1, 0, 1, 2, 3, 1, 2, 3};
  constexpr std::array<std::array<std::size_t, 4>, 2> kRings{{{0, 1, 2, 6}, {3, 5, 4, 7}}};
  Machine machine("mi50-8-rome");
  const std::array<VertexId, 2> sockets = machine.two_packages(rate::kAmdSocket, {-1, -1});
  std::array<VertexId, 4> roots;
  for (std::size_t numa = 0; numa < 4; ++numa)
    roots[numa] = machine.root_complex(machine.numa_domain(sockets[numa / 2], static_cast<int>(numa)));
  for (const std::size_t numa : kNuma) machine.gpu(roots[numa], rate::kPcie4x16);
  for (const auto& ring : kRings) {
    for (std::size_t i = 0; i < ring.size(); ++i)
      machine.connect(machine.gpu_vertex(ring[i]), machine.gpu_vertex(ring[(i + 1) % ring.size()]), LinkKind::xgmi,
                      rate::kXgmiMi50);
  }
  return std::move(machine).build();
}

constexpr std::array<Preset, 9> kPresets{
    {{"mi250x", "8 GCDs of 4 MI250X: xGMI bonds of 4, 2 and 1 links (Frontier, LUMI)", mi250x},
     {"mi250-8", "8 GCDs of 4 MI250 on two sockets: xGMI bonds of 4, 2 and 1 links", mi250_8},
     {"mi300x", "8 MI300X, one xGMI link for every pair; one NIC a GPU", mi300x},
     {"mi325x", "8 MI325X, one xGMI link for every pair; one NIC a GPU", mi325x},
     {"mi350x", "8 MI350X, one xGMI link of 76.8 GB/s for every pair; one NIC a GPU", mi350x},
     {"mi355x", "8 MI355X, as mi350x", mi355x},
     {"mi300a", "4 MI300A, two xGMI links for every pair; GPU i on NUMA domain 2, 3, 0, 1", mi300a},
     {"mi100-16", "16 MI100 in four xGMI islands of four", mi100_16},
     {"mi50-8-rome", "8 MI50 in two xGMI rings across NUMA domains", mi50_8_rome}}};

}  // namespace

std::span<const Preset> instinct_nodes() {
  return kPresets;
}

}  // namespace topowise::preset_group
