// SPDX-License-Identifier: BSD-3-Clause
// Servers with accelerators of Huawei, Moore Threads and MetaX, each with links of its own between them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include <topowise/topology_source/node/machine.hpp>
#include <topowise/topology_source/synthetic/presets/groups.hpp>

namespace topowise::preset_group {
namespace {

/// Joins every two accelerators of each group of `size` with consecutive numbers.
void join_groups(Machine& machine, std::size_t size, Rate rate, int width = 1) {
  for (std::size_t a = 0; a < machine.gpu_count(); ++a) {
    for (std::size_t b = a + 1; b < machine.gpu_count() && b / size == a / size; ++b)
      machine.connect(machine.gpu_vertex(a), machine.gpu_vertex(b), LinkKind::vendor_link, rate, width);
  }
}

/// Eight accelerators, each on a slot of PCIe 5.0 x16 with a root of its own, four of them on each socket.
void add_eight(Machine& machine, GpuVendor vendor) {
  for (const VertexId socket : machine.two_packages(rate::kUpiSapphireRapids)) {
    for (int i = 0; i < 4; ++i) machine.gpu(machine.root_complex(socket), rate::kPcie5x16, {.vendor = vendor});
  }
}

/// Atlas 800T A2: eight Ascend 910B, each joined to each other by HCCS, 392 GB/s both ways for the seven links of one
/// (support.huawei.com, technical specifications). Processors and bus ids by `npu-smi info -t topo` and `npu-smi info`
/// of an 8 x 910B3 (modelscope/ms-swift, NPU support): two NPUs on each of four Kunpeng 920.
Topology atlas_800t_a2() {
  constexpr Rate kHccs{28.0, 0.70, Basis::nominal};
  struct Socket {
    int numa;
    std::string_view processors;
  };
  constexpr std::array<Socket, 4> kSockets{{{6, "144-167"}, {4, "96-119"}, {0, "0-23"}, {2, "48-71"}}};
  constexpr std::array<std::string_view, 8> kBusIds{"0000:c1:00.0", "0000:c2:00.0", "0000:81:00.0", "0000:82:00.0",
                                                    "0000:01:00.0", "0000:02:00.0", "0000:41:00.0", "0000:42:00.0"};
  Machine machine("atlas-800t-a2");
  std::array<VertexId, 4> sockets{};
  for (std::size_t s = 0; s < sockets.size(); ++s) {
    sockets[s] = machine.package(kSockets[s].numa, std::string(kSockets[s].processors));
    for (std::size_t i = 2 * s; i < 2 * s + 2; ++i)
      machine.gpu(machine.root_complex(sockets[s]), rate::kPcie4x16,
                  {.name = fmt::format("NPU{}", i), .bus_id = kBusIds[i], .vendor = GpuVendor::huawei});
    for (std::size_t other = 0; other < s; ++other)
      machine.connect(sockets[other], sockets[s], LinkKind::inter_socket, rate::kArmSocket);
  }
  join_groups(machine, machine.gpu_count(), kHccs);
  return std::move(machine).build();
}

/// Atlas 800T A3: eight modules of two Ascend 910C dies. SIO joins the two dies of a module, HCCS all modules through
/// switches (hiascend.com, MindCluster, affinity of Atlas 800T A3). "Serving Large Language Models on Huawei
/// CloudMatrix384" (arXiv 2506.12708): 270 GB/s each way between two dies, 392 GB/s each way for a module. The four
/// sockets and their processors are taken from Atlas 800T A2's.
Topology atlas_800t_a3() {
  constexpr Rate kSio{270.0, 0.30, Basis::nominal};
  constexpr Rate kHccsToSwitch{196.0, 0.40, Basis::nominal};
  Machine machine("atlas-800t-a3");
  std::array<VertexId, 4> sockets{};
  for (std::size_t s = 0; s < sockets.size(); ++s) {
    sockets[s] = machine.package(static_cast<int>(s));
    for (std::size_t i = 4 * s; i < 4 * s + 4; ++i)
      machine.gpu(machine.root_complex(sockets[s]), rate::kPcie5x16,
                  {.name = fmt::format("Phy-ID{}", i), .vendor = GpuVendor::huawei});
    for (std::size_t other = 0; other < s; ++other)
      machine.connect(sockets[other], sockets[s], LinkKind::inter_socket, rate::kArmSocket);
  }
  const VertexId switches = machine.builder().add_vertex({.kind = VertexKind::nvswitch, .name = "HCCS switches"});
  for (std::size_t i = 0; i < machine.gpu_count(); ++i) {
    machine.connect(machine.gpu_vertex(i), switches, LinkKind::vendor_link, kHccsToSwitch);
    if (i % 2 == 1) machine.connect(machine.gpu_vertex(i - 1), machine.gpu_vertex(i), LinkKind::c2c, kSio);
  }
  return std::move(machine).build();
}

/// MCCX D800: eight MTT S4000 with 240 GB/s both ways of MTLink 1.0 each (Moore Threads, as reported by io-tech.fi).
/// Which cards the links join is assumed: every two of them, as on the S5000, so a seventh of the half each way.
Topology mtt_s4000() {
  Machine machine("mtt-s4000");
  add_eight(machine, GpuVendor::moore_threads);
  join_groups(machine, machine.gpu_count(), {17.1, 0.70, Basis::assumed});
  return std::move(machine).build();
}

/// Eight MTT S5000: `mthreads-gmi topo -mg` says MT2 for all 28 pairs, and a copy between two of them took 35.7 GB/s,
/// within a socket and across ("MTT S5000: one card and eight cards measured", July 2026, two Xeon Platinum 8358P).
Topology mtt_s5000() {
  Machine machine("mtt-s5000");
  add_eight(machine, GpuVendor::moore_threads);
  join_groups(machine, machine.gpu_count(), {17.85, 0.70, Basis::measured}, 2);
  return std::move(machine).build();
}

/// Eight MetaX C500: two groups of four joined by MetaXLink, by `mx-smi topo -m` (MetaX-MACA/vLLM-metax, quickstart:
/// SYS between the groups; modelscope/ms-swift, Metax support: NODE). No source gives the rate of MetaXLink: that of a
/// slot of PCIe 5.0 x16 is assumed.
Topology metax_c500() {
  Machine machine("metax-c500");
  add_eight(machine, GpuVendor::metax);
  join_groups(machine, 4, {63.0, 0.70, Basis::assumed});
  return std::move(machine).build();
}

constexpr std::array<Preset, 5> kPresets{
    {{"atlas-800t-a2", "8 Ascend 910B: HCCS between all", atlas_800t_a2},
     {"atlas-800t-a3", "16 dies of 8 Ascend 910C: SIO inside a module, HCCS through switches", atlas_800t_a3},
     {"metax-c500", "8 MetaX C500: MetaXLink in groups of 4, SYS (rate of the links assumed)", metax_c500},
     {"mtt-s4000", "8 MTT S4000: MTLink between all (assumed)", mtt_s4000},
     {"mtt-s5000", "8 MTT S5000: two MTLinks between all (measured)", mtt_s5000}}};

}  // namespace

std::span<const Preset> other_vendors() {
  return kPresets;
}

}  // namespace topowise::preset_group
