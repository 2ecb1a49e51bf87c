// SPDX-License-Identifier: BSD-3-Clause
// NVLink inside groups of two to four GPUs: bridges between PCIe cards, boards of four, POWER nodes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include <topowise/topology_source/node/machine.hpp>
#include <topowise/topology_source/synthetic/presets/groups.hpp>

namespace topowise::preset_group {
namespace {

/// Adds NVLink between all GPUs of each group of `size` neighbours.
void bond_groups(Machine& machine, std::size_t size, Rate rate, int width) {
  for (std::size_t a = 0; a < machine.gpu_count(); ++a) {
    for (std::size_t b = a + 1; b < machine.gpu_count() && b / size == a / size; ++b)
      machine.connect(machine.gpu_vertex(a), machine.gpu_vertex(b), LinkKind::nvlink, rate, width);
  }
}

/// Summit and Sierra's kind of node: docs.olcf.ornl.gov systems/summit_user_guide: three V100 a POWER9, 50 GB/s NVLink
/// between them and to the processor, X-Bus between the sockets, one rail of EDR a socket.
Topology summit_ac922() {
  Machine machine("summit-ac922");
  int nic = 0;
  for (const VertexId socket : machine.two_packages(rate::kPower9Socket, {0, 8})) {
    for (int i = 0; i < 3; ++i) machine.gpu(socket, rate::kNvlink2, {.kind = LinkKind::nvlink, .width = 2});
    machine.nic(machine.root_complex(socket), fmt::format("mlx5_{}", nic++), rate::kPort100);
  }
  bond_groups(machine, 3, rate::kNvlink2, 2);
  return std::move(machine).build();
}

/// IBM S822LC "Minsky": hwloc tests/hwloc/xml/power8gpudistances.xml: two P100 a POWER8, two NVLinks between them and
/// two to the processor.
Topology s822lc_p100() {
  Machine machine("s822lc-p100");
  for (const VertexId socket : machine.two_packages(rate::kPower9Socket)) {
    for (int i = 0; i < 2; ++i) machine.gpu(socket, rate::kNvlink1, {.kind = LinkKind::nvlink, .width = 2});
  }
  bond_groups(machine, 2, rate::kNvlink1, 2);
  return std::move(machine).build();
}

/// Four A100 SXM on one EPYC in NPS4; GPU i is on NUMA domain 3 - i.
Machine hgx_a100_4(std::string name, int cores_per_domain) {
  Machine machine(std::move(name));
  const VertexId socket = machine.package();
  for (int i = 0; i < 4; ++i) {
    const int numa = 3 - i;
    const int first = cores_per_domain * numa;
    const int threads = 4 * cores_per_domain;
    const std::string cpus = fmt::format("{}-{},{}-{}", first, first + cores_per_domain - 1, threads + first,
                                         threads + first + cores_per_domain - 1);
    machine.gpu(machine.root_complex(machine.numa_domain(socket, numa, cpus)), rate::kPcie4x16);
  }
  bond_groups(machine, 4, rate::kNvlink2, 4);
  return machine;
}

/// docs.nersc.gov, "Perlmutter architecture", and github.com/BLAST-WarpX/warpx issue 4594: EPYC 7763, the order of the
/// GPUs is the reverse of that of the NUMA domains; four Slingshot 11 NICs on PCIe 4.0. That each domain has one of
/// them is how the board is drawn there; their numbers follow the domains.
Topology perlmutter_a100() {
  Machine machine = hgx_a100_4("perlmutter-a100", 16);
  for (std::size_t gpu = machine.gpu_count(); gpu-- > 0;) {
    const std::string name = fmt::format("cxi{}", machine.gpu_count() - 1 - gpu);
    machine.nic(*machine.builder().vertex(machine.gpu_vertex(gpu)).parent, name, rate::kPort200);
  }
  return std::move(machine).build();
}

constexpr Rate kC2c{450.0, 0.30, Basis::nominal};  // one Grace, one Hopper: 900 GB/s both ways

/// One Grace with its Hopper and a NIC.
VertexId add_grace_hopper(Machine& machine, int numa, std::string nic, Rate rate) {
  const VertexId grace = machine.package(numa, fmt::format("{}-{}", 72 * numa, 72 * numa + 71));
  machine.gpu(grace, kC2c, {.kind = LinkKind::c2c});
  machine.nic(machine.root_complex(grace), std::move(nic), rate);
  return grace;
}

/// NVIDIA GH200 Grace Hopper Superchip data sheet: NVLink-C2C 900 GB/s both ways. The NIC is the usual ConnectX-7.
Topology gh200() {
  Machine machine("gh200");
  (void)add_grace_hopper(machine, 0, "mlx5_0", rate::kPort400);
  return std::move(machine).build();
}

/// Alps, and JUPITER's kind of node: docs.cscs.ch, "Alps hardware", and Fusco et al., "Understanding Data Movement in
/// Tightly Coupled Heterogeneous Systems: A Case Study with the Grace Hopper Superchip", 2024: NVLink 150 GB/s for each
/// pair of GPUs, 100 GB/s for each pair of Graces, a Slingshot NIC on each.
Topology gh200_quad() {
  constexpr Rate kBetweenGraces{100.0, 0.50, Basis::nominal};
  Machine machine("gh200-quad");
  std::array<VertexId, 4> graces;
  for (std::size_t i = 0; i < graces.size(); ++i) {
    graces[i] = add_grace_hopper(machine, static_cast<int>(i), fmt::format("cxi{}", i), rate::kPort200);
    for (std::size_t j = 0; j < i; ++j) machine.connect(graces[j], graces[i], LinkKind::inter_socket, kBetweenGraces);
  }
  bond_groups(machine, 4, rate::kNvlink2, 6);
  return std::move(machine).build();
}

/// github.com/argonne-lcf/user-guides docs/polaris/index.md: EPYC 7543P; one NIC (Slingshot 11) near GPU 3, one
/// near GPU 1 (PHB).
Topology polaris_a100() {
  Machine machine = hgx_a100_4("polaris-a100", 8);
  int nic = 0;
  for (const std::size_t gpu : {3, 1})
    machine.nic(*machine.builder().vertex(machine.gpu_vertex(gpu)).parent, fmt::format("mlx5_{}", nic++),
                rate::kPort200);
  return std::move(machine).build();
}

/// hwloc XML in github.com/openpmix/prrte test/topologies/turin-4gpu-nvml.xml: two EPYC 9555 in NPS4, H200 NVL with a
/// four-way bridge (NV6) on NUMA domains 1, 2, 6, 7, each behind a switch with its own NIC.
Topology h200_nvl4_turin() {
  Machine machine("h200-nvl4-turin");
  const std::array<VertexId, 2> sockets = machine.two_packages(rate::kAmdSocket, {-1, -1});
  int nic = 0;
  for (const int numa : {1, 2, 6, 7}) {
    const std::string cpus = fmt::format("{}-{},{}-{}", 16 * numa, 16 * numa + 15, 128 + 16 * numa, 143 + 16 * numa);
    const VertexId domain = machine.numa_domain(sockets[static_cast<std::size_t>(numa / 4)], numa, cpus);
    const VertexId above = machine.pcie_switch(machine.root_complex(domain), rate::kPcie5x16);
    machine.nic(above, fmt::format("mlx5_{}", nic++), rate::kPcie5x16);
    machine.gpu(machine.pcie_switch(above, rate::kPcie5x16), rate::kPcie5x16);
  }
  bond_groups(machine, 4, rate::kNvlink2, 6);
  return std::move(machine).build();
}

/// github.com/NVIDIA/k8s-device-plugin issue 546: bridges join GPUs (0,2), (1,3), (4,5), (6,7), and everything else is
/// SYS, although four GPUs share a NUMA domain. Rates measured on the same cards (four of them, Azure NC96ads A100 v4,
/// p2pBandwidthLatencyTest): 275 GB/s over a bridge, 21.6 through the host.
Topology a100_pcie_bridge8() {
  constexpr Rate kBridge{275.0 / 12.0, 0.70, Basis::measured};
  constexpr Rate kHost{21.6, 0.15, Basis::measured};
  Machine machine("a100-pcie-bridge8");
  for (const VertexId socket : machine.two_packages(rate::kAmdSocket)) {
    for (int i = 0; i < 4; ++i) machine.gpu(machine.root_complex(socket), kHost);
  }
  constexpr std::array<std::pair<std::size_t, std::size_t>, 4> kBridged{{{0, 2}, {1, 3}, {4, 5}, {6, 7}}};
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = a + 1; b < 8; ++b) {
      if (std::ranges::find(kBridged, std::pair(a, b)) == kBridged.end())
        machine.builder().set_class(Place(a), Place(b), {PathKind::sys, 0});
      else
        machine.connect(machine.gpu_vertex(a), machine.gpu_vertex(b), LinkKind::nvlink, kBridge, 12);
    }
  }
  return std::move(machine).build();
}

constexpr std::array<Preset, 8> kPresets{
    {{"summit-ac922", "6 V100: NV2 inside each half, two POWER9 (Summit)", summit_ac922},
     {"s822lc-p100", "4 P100: NV2 pairs, two POWER8 (Minsky)", s822lc_p100},
     {"perlmutter-a100", "4 A100, NV4 for every pair; GPU i on NUMA domain 3 - i, a NIC on each", perlmutter_a100},
     {"gh200", "1 GH200: Hopper and Grace joined by NVLink-C2C, a 400 Gb/s NIC", gh200},
     {"gh200-quad", "4 GH200, NV6 for every pair, a 200 Gb/s NIC on each (Alps, JUPITER)", gh200_quad},
     {"polaris-a100", "4 A100, NV4 for every pair; NICs near GPUs 3 and 1", polaris_a100},
     {"h200-nvl4-turin", "4 H200 NVL, NV6 for every pair; NUMA domains 1, 2, 6, 7", h200_nvl4_turin},
     {"a100-pcie-bridge8", "8 A100 PCIe, NV12 bridges (0,2) (1,3) (4,5) (6,7), SYS else", a100_pcie_bridge8}}};

}  // namespace

std::span<const Preset> nvlink_groups() {
  return kPresets;
}

}  // namespace topowise::preset_group
