// SPDX-License-Identifier: BSD-3-Clause
// Every text file of both corpora, with its expected content, which was written down by reading the files.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tests/classes.hpp>
#include <tests/corpus.hpp>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/topology_source/node/text_formats.hpp>

using namespace topowise;

namespace {

using Texts = std::vector<std::string_view>;

struct Machine {
  std::string_view file;
  std::size_t places;
  std::string_view census;  ///< of the classes of all pairs
  std::string_view matrix;  ///< the classes, with rows separated by ';'; empty if all pairs have one class
  std::string_view numa;    ///< NUMA domains of the places, in order
  Texts warnings;           ///< texts; each occurs in one warning, and there are no other warnings
};

constexpr std::string_view kCubeMesh =
    "X NV1 NV1 NV2 NV2 SYS SYS SYS;NV1 X NV2 NV1 SYS NV2 SYS SYS;NV1 NV2 X NV2 SYS SYS NV1 SYS;"
    "NV2 NV1 NV2 X SYS SYS SYS NV1;NV2 SYS SYS SYS X NV1 NV1 NV2;SYS NV2 SYS SYS NV1 X NV2 NV1;"
    "SYS SYS NV1 SYS NV1 NV2 X NV2;SYS SYS SYS NV1 NV2 NV1 NV2 X";
constexpr std::string_view kNoNuma8 = "-1 -1 -1 -1 -1 -1 -1 -1";

const std::vector<Machine> kNvidia{
    {"a100-4x-one-bridge-pair.txt",
     4,
     "NV12 1, NODE 1, SYS 4",
     "X NV12 SYS SYS;NV12 X SYS SYS;SYS SYS X NODE;SYS SYS NODE X",
     "0 0 1 1",
     {}},
    {"a100-8x-narrow-columns.txt", 8, "NV12 28", "", "0 0 0 0 1 1 1 1", {}},
    {"a100-8x-pairs-scrambled.txt",
     8,
     "NV12 4, SYS 24",
     "X SYS NV12 SYS SYS SYS SYS SYS;SYS X SYS NV12 SYS SYS SYS SYS;NV12 SYS X SYS SYS SYS SYS SYS;"
     "SYS NV12 SYS X SYS SYS SYS SYS;SYS SYS SYS SYS X NV12 SYS SYS;SYS SYS SYS SYS NV12 X SYS SYS;"
     "SYS SYS SYS SYS SYS SYS X NV12;SYS SYS SYS SYS SYS SYS NV12 X",
     "0 0 0 0 1 1 1 1",
     {}},
    {"a800-8x-4nic.txt", 8, "NV8 28", "", "0 0 0 0 1 1 1 1", {}},
    {"a800-8x-cropped-damaged.txt",
     8,
     "NV8 28",
     "",
     "-1 -1 -1 -1 1 1 1 -1",
     {":2:71: '-31,64-95' is no list of processors; GPU0", ":3:71: '-31,64-95' is no list of processors; GPU1",
      ":4:71: '-31,64-95' is no list of processors; GPU2", ":5:71: '-31,64-95' is no list of processors; GPU3",
      ":9:71: '2-63,96-127' overlaps the processors of other rows in part; GPU7",
      ":1: no column for NIC0, NIC1, NIC2, NIC3"}},
    {"azure-nc96-4xa100-4numa.txt",
     4,
     "NV12 2, SYS 4",
     "X NV12 SYS SYS;NV12 X SYS SYS;SYS SYS X NV12;SYS SYS NV12 X",
     "0 1 2 3",
     {}},
    {"dgx1-v100-indented.txt", 8, "NV2 8, NV1 8, SYS 12", kCubeMesh, kNoNuma8, {}},
    {"dgx1-v100-tabs-unsorted-nics.txt", 8, "NV2 8, NV1 8, SYS 12", kCubeMesh, kNoNuma8, {}},
    {"gb10-spark-capped.txt", 1, "", "", "0", {":1: no row for NIC0, NIC1, NIC2, NIC3"}},
    {"gdr-4gpu-mlx4-soc.txt",
     4,
     "PHB 2, SYS 4",
     "X PHB SYS SYS;PHB X SYS SYS;SYS SYS X PHB;SYS SYS PHB X",
     "-1 -1 -1 -1",
     {}},
    {"h100-8x-no-legend.txt", 8, "NV18 28", "", "0 0 0 0 1 1 1 1", {}},
    {"h200-4x-turin.txt", 4, "NV6 6", "", "1 2 6 7", {}},
    {"h200-8x-10nic-ansi.txt", 8, "NV18 28", "", "0 0 0 0 1 1 1 1", {}},
    {"k80-4boards-8gpu.txt",
     8,
     "PIX 4, PXB 8, SYS 16",
     "X PIX PXB PXB SYS SYS SYS SYS;PIX X PXB PXB SYS SYS SYS SYS;PXB PXB X PIX SYS SYS SYS SYS;"
     "PXB PXB PIX X SYS SYS SYS SYS;SYS SYS SYS SYS X PIX PXB PXB;SYS SYS SYS SYS PIX X PXB PXB;"
     "SYS SYS SYS SYS PXB PXB X PIX;SYS SYS SYS SYS PXB PXB PIX X",
     kNoNuma8,
     {}},
    {"mixed-5gpu-asymmetric.txt",
     5,
     "PHB 2, NODE 4, SYS 4",
     "X SYS SYS SYS SYS;SYS X PHB NODE NODE;SYS PHB X NODE NODE;SYS NODE NODE X PHB;SYS NODE NODE PHB X",
     "1 0 0 0 0",
     {}},
    {"pcie-8x-6plus2.txt",
     8,
     "PHB 3, NODE 13, SYS 12",
     "X NODE NODE NODE NODE NODE SYS SYS;NODE X PHB NODE NODE NODE SYS SYS;NODE PHB X NODE NODE NODE SYS SYS;"
     "NODE NODE NODE X PHB NODE SYS SYS;NODE NODE NODE PHB X NODE SYS SYS;NODE NODE NODE NODE NODE X SYS SYS;"
     "SYS SYS SYS SYS SYS SYS X PHB;SYS SYS SYS SYS SYS SYS PHB X",
     "0 0 0 0 0 0 1 1",
     {}},
    {"polaris-4xa100-markdown.md", 4, "NV4 6", "", "3 2 1 0", {}},
    {"rtx-2x-nv2-numa-na.txt", 2, "NV2 1", "", "-1 -1", {}},
    {"rtx-2x-phb-numa-na.txt", 2, "PHB 1", "", "-1 -1", {}},
    {"rtx3090-2x-numa-na-shift.txt", 2, "SYS 1", "", "-1 1", {}},
    {"rtx6000ada-4x-4nic-esc8000a.txt",
     4,
     "NODE 2, SYS 4",
     "X NODE SYS SYS;NODE X SYS SYS;SYS SYS X NODE;SYS SYS NODE X",
     "0 0 1 1",
     {}},
    {"s822lc-4xp100-soc.txt",
     4,
     "NV2 2, SYS 4",
     "X NV2 SYS SYS;NV2 X SYS SYS;SYS SYS X NV2;SYS SYS NV2 X",
     "-1 -1 -1 -1",
     {}},
    {"v100-8x-1nic-nodecol.txt", 8, "NV2 8, NV1 8, SYS 12", kCubeMesh, kNoNuma8, {}},
    {"v100-8x-doubletabs.txt",
     8,
     "NV2 8, NV1 8, SYS 12",
     "X NV1 NV2 NV1 SYS SYS SYS NV2;NV1 X NV1 NV2 SYS SYS NV2 SYS;NV2 NV1 X NV2 SYS NV1 SYS SYS;"
     "NV1 NV2 NV2 X NV1 SYS SYS SYS;SYS SYS SYS NV1 X NV2 NV2 NV1;SYS SYS NV1 SYS NV2 X NV1 NV2;"
     "SYS NV2 SYS SYS NV2 NV1 X NV1;NV2 SYS SYS SYS NV1 NV2 NV1 X",
     "0 0 0 0 1 1 1 1",
     {}},
};

const std::vector<Machine> kRocm{
    {"mi210-4-archer2.showtopo.txt", 4, "XGMI1 6", "", "0 1 2 3", {}},
    {"mi250x-8-lumi.showtoponuma.txt",
     8,
     "NODE 4, SYS 24",
     "X NODE SYS SYS SYS SYS SYS SYS;NODE X SYS SYS SYS SYS SYS SYS;SYS SYS X NODE SYS SYS SYS SYS;"
     "SYS SYS NODE X SYS SYS SYS SYS;SYS SYS SYS SYS X NODE SYS SYS;SYS SYS SYS SYS NODE X SYS SYS;"
     "SYS SYS SYS SYS SYS SYS X NODE;SYS SYS SYS SYS SYS SYS NODE X",
     "3 3 1 1 0 0 2 2",
     {"only NUMA domains, no links between GPUs: it does not show NVLink or xGMI"}},
    // GPU1-4 and GPU5-8 are XXXX among themselves; all other pairs are XGMI.
    {"mi300x-tpx-broken.showtopo.txt",
     12,
     "XGMI1 54, SYS 12",
     "",
     "0 0 -1 -1 -1 0 -1 -1 -1 1 2 3",
     {":3: the tool says 'get_link_weight_topology, Not supported", ":4: the tool says 'ERROR: GPU[1]",
      "Numa Node and Numa Affinity differ for GPU2, GPU3, GPU4, GPU6, GPU7, GPU8",
      ":8:34: 'XXXX' for GPU1 and GPU2 is not read; the table 'Weight between two GPUs' has 24 cells",
      ":6: the table 'Weight between two GPUs' holds link types",
      "12 pairs without a link type (GPU1-GPU2, GPU1-GPU3, GPU1-GPU4, GPU2-GPU3, ...): SYS is assumed"}},
};

const std::vector<Machine> kAmd{
    {"mi300x-8.amd-smi-topology.txt", 8, "XGMI1 28", "", kNoNuma8, {}},
    {"mi300x-8.amd-smi-xgmi.txt", 8, "XGMI1 28", "", kNoNuma8, {}},
};

const std::vector<Machine> kMatrices{
    // Only GPU 0 was measured against the others: 11 of 66 pairs. GPU 0 and its partner tile are a class of their own.
    {"aurora-pvc-12tiles.txt",
     12,
     "M1 1, M2 65",
     "",
     "-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1",
     {"no bandwidth for 55 of 66 pairs (GPU1 and GPU2, ...)"}},
    {"azure-nc96-4xa100.p2p.txt",
     4,
     "M1 2, M2 4",
     "X M1 M2 M2;M1 X M2 M2;M2 M2 X M1;M2 M2 M1 X",
     "-1 -1 -1 -1",
     {":32: no latency with P2P enabled; the one without is taken",
      ": 4 of 6 pairs of GPUs cannot read each other's memory (GPU0-GPU2, GPU0-GPU3, GPU1-GPU2, GPU1-GPU3): "}},
};

const std::vector<Machine> kSlurm{
    // 12 blocks of 8; block sizes 8, 16, 32.
    {"block-nvl.conf", 96, "NET1 336, NET3 384, NET5 768, NET7 3072", "", "", {}},
    // Leaves of 8 nodes: two below spineA, two below spineB, one alone.
    {"forest-no-root.conf",
     40,
     "NET1 140, NET3 128, NONE 512",
     "",
     "",
     {"3 switches have no common switch above them (spineA, spineB, ...)"}},
    {"multi-topology.yaml",
     4,
     "NET1 2, NET3 4",
     "X NET1 NET3 NET3;NET1 X NET3 NET3;NET3 NET3 X NET1;NET3 NET3 NET1 X",
     "",
     {":12: topology 'topo2' is not read", ":27: topology 'topo3' is not read", ":30: topology 'topo3a' is not read",
      ":34: topology 'topo4' is not read", ":42: topology 'topo5' is not read"}},
    // 20 leaves of 20 nodes in two groups.
    {"tree-2level.conf", 400, "NET1 3800, NET3 36000, NET5 40000", "", "", {}},
    // 12 leaves of 8 nodes, two below each of six spines.
    {"tree-oci-sim.conf", 96, "NET1 336, NET3 384, NET5 3840", "", "", {}},
};

const std::vector<Machine> kFabrics{
    {"edr-mixed.p.out",
     3,
     "NET1 1, NONE 2",
     "X NET1 NONE;NET1 X NONE;NONE NONE X",
     "",
     {"the hosts are in 2 parts that no cable joins"}},
    {"gb200-2rail-ndr.out", 122, "NET1 897, NET3 6484", "", "", {"69 adapters do not name their host"}},
    {"ibsim-2switch-4hca.net",
     4,
     "NET1 2, NET2 4",
     "X NET2 NET1 NET2;NET2 X NET2 NET1;NET1 NET2 X NET2;NET2 NET1 NET2 X",
     "",
     {}},
};

std::string matrix_of(const Topology& machine) {
  std::string text;
  for (std::size_t a = 0; a < machine.place_count(); ++a) {
    for (std::size_t b = 0; b < machine.place_count(); ++b)
      text += (b > 0 ? " " : a > 0 ? ";" : "") + to_string(machine.path_class(Place(a), Place(b)));
  }
  return text;
}

std::string numa_of(const Topology& machine) {
  std::string text;
  for (std::size_t a = 0; a < machine.place_count(); ++a)
    text += (a > 0 ? " " : "") + std::to_string(machine.vertex_of(Place(a)).numa);
  return text;
}

/// Nothing for a file of the large corpus if that corpus is not there.
std::optional<Topology> read_if_there(const TopologyFormat& format, std::string_view folder, std::string_view file) {
  const std::optional<std::string> path = test::corpus_file(std::string(folder) + "/" + std::string(file));
  if (!path) return std::nullopt;
  const std::string text = read_file(*path);
  CHECK(format.recognises(std::string_view(text).substr(0, 65536)));
  return format.read(std::string(file), text);
}

Topology read(const TopologyFormat& format, std::string_view folder, std::string_view file) {
  std::optional<Topology> machine = read_if_there(format, folder, file);
  REQUIRE(machine);
  return *machine;
}

void check(const TopologyFormat& format, std::string_view folder, const std::vector<Machine>& machines) {
  for (const Machine& expected : machines) {
    CAPTURE(expected.file);
    const std::optional<Topology> found = read_if_there(format, folder, expected.file);
    if (!found) continue;
    const Topology& machine = *found;
    CHECK(machine.place_count() == expected.places);
    CHECK(test::census(machine) == expected.census);
    if (!expected.matrix.empty()) CHECK(matrix_of(machine) == expected.matrix);
    if (!expected.numa.empty()) CHECK(numa_of(machine) == expected.numa);
    CHECK(machine.warnings().size() == expected.warnings.size());
    for (const std::string_view part : expected.warnings) {
      CAPTURE(part);
      CHECK(std::ranges::any_of(machine.warnings(),
                                [&](const std::string& text) { return text.find(part) != std::string::npos; }));
    }
  }
}

}  // namespace

TEST_CASE("corpus: nvidia-smi") {
  check(kNvidiaSmiFormat, "nvidia-smi-topo", kNvidia);
}

TEST_CASE("corpus: nvidia-smi's other table is refused by name") {
  for (const std::string_view file : {"h100-8x.p2p-r.txt", "l4-2x.p2p-cns.txt"}) {
    CAPTURE(file);
    try {
      (void)read(kNvidiaSmiFormat, "nvidia-smi-topo", file);
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("nvidia-smi topo -p2p") != std::string::npos);
      CHECK(error.diagnostics().front().position.line == 1);
      CHECK(error.diagnostics().front().hint.find("nvidia-smi topo -m") != std::string::npos);
    }
  }
}

TEST_CASE("corpus: rocm-smi and amd-smi") {
  check(kRocmSmiFormat, "rocm-smi", kRocm);
  check(kAmdSmiFormat, "rocm-smi", kAmd);
  const Topology topology = read(kAmdSmiFormat, "rocm-smi", "mi300x-8.amd-smi-topology.txt");
  const Topology xgmi = read(kAmdSmiFormat, "rocm-smi", "mi300x-8.amd-smi-xgmi.txt");
  CHECK(topology.vertex_of(Place(7)).pci->to_string() == "0000:df:00.0");
  CHECK(topology.bandwidth(Place(0), Place(7)) == gigabytes_per_second(50));  // the two reports give different rates
  CHECK(xgmi.bandwidth(Place(0), Place(7)) == gigabytes_per_second(64));
}

TEST_CASE("corpus: measured pairs") {
  check(kPairMatrixFormat, "p2p-bandwidth", kMatrices);
  const Topology azure = read(kPairMatrixFormat, "p2p-bandwidth", "azure-nc96-4xa100.p2p.txt");
  CHECK(azure.bandwidth(Place(0), Place(1)).value() == doctest::Approx(275.07e9));
  CHECK(azure.bandwidth(Place(3), Place(0)).value() == doctest::Approx(21.51e9));
  CHECK(azure.latency(Place(0), Place(1)).value() == doctest::Approx(21.89e-6));
  CHECK(azure.has_pair_matrix(Metric::bandwidth));
  const Topology aurora = read(kPairMatrixFormat, "p2p-bandwidth", "aurora-pvc-12tiles.txt");
  CHECK(aurora.bandwidth(Place(0), Place(1)).value() == doctest::Approx(158.52e9));
  CHECK(aurora.bandwidth(Place(1), Place(0)).value() == doctest::Approx(173.569e9));
  CHECK(aurora.bandwidth(Place(1), Place(2)).value() == 0.0);
  CHECK_FALSE(aurora.has_pair_matrix(Metric::bandwidth));
}

TEST_CASE("corpus: QAPLIB's second matrix is the distances") {
  const Topology nug12 = read(kPairMatrixFormat, "qaplib", "nug12.dat");
  CHECK(nug12.place_count() == 12);
  CHECK(nug12.distance(Place(0), Place(1)) == 5);
  CHECK(nug12.distance(Place(3), Place(7)) == 10);
  CHECK(nug12.distance(Place(1), Place(3)) == 0);
  const std::vector<std::pair<std::string_view, std::size_t>> sizes{
      {"esc128.dat", 128},  {"had16.dat", 16},    {"nug30.dat", 30},   {"rou20.dat", 20},   {"sko100a.dat", 100},
      {"tai100a.dat", 100}, {"tai256c.dat", 256}, {"tho150.dat", 150}, {"wil100.dat", 100}, {"esc64a.dat", 64}};
  for (const auto& size : sizes) {
    CAPTURE(size.first);
    const std::optional<Topology> instance = read_if_there(kPairMatrixFormat, "qaplib", size.first);
    if (!instance) continue;
    CHECK(instance->place_count() == size.second);
    CHECK(instance->warnings().empty());
  }
}

TEST_CASE("corpus: Slurm") {
  check(kSlurmFormat, "slurm-topology", kSlurm);
  // 500 leaves of 20 nodes in two halves and 26 groups, mostly of 20 leaves. The tree gives the answers.
  const std::optional<Topology> found = read_if_there(kSlurmFormat, "slurm-topology", "tree-3level-large.conf");
  if (!found) return;
  const Topology& large = *found;
  CHECK(large.warnings().empty());
  REQUIRE(large.place_count() == 10000);
  REQUIRE(large.levels().size() == 4);
  const auto path = [&](std::size_t a, std::size_t b) { return to_string(large.path_class(Place(a), Place(b))); };
  CHECK(large.vertex_of(Place(0)).name == "peta10000");
  CHECK(path(0, 19) == "NET1");       // leaf100
  CHECK(path(0, 20) == "NET3");       // leaf101; both leaves are in grp10
  CHECK(path(0, 400) == "NET5");      // leaf120 in grp11
  CHECK(path(0, 9999) == "NET7");     // a leaf in the other half
  CHECK(path(4999, 5000) == "NET7");  // the first one is on leaf349, the last leaf below im0
}

TEST_CASE("corpus: InfiniBand") {
  check(kIbnetdiscoverFormat, "ibnetdiscover", kFabrics);
  const Topology edr = read(kIbnetdiscoverFormat, "ibnetdiscover", "edr-mixed.p.out");
  CHECK(edr.vertex_of(Place(0)).name == "o0001");
  CHECK(edr.bandwidth(Place(0), Place(1)) == gigabytes_per_second(12.5));
  const std::optional<Topology> gb200 = read_if_there(kIbnetdiscoverFormat, "ibnetdiscover", "gb200-2rail-ndr.out");
  if (!gb200) return;
  CHECK(std::ranges::count(gb200->vertices(), VertexKind::network_switch, &Vertex::kind) == 40);
  CHECK(gb200->bandwidth(Place(1), Place(2)) == gigabytes_per_second(50));  // one port of 4x NDR
}
