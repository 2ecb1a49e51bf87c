// SPDX-License-Identifier: BSD-3-Clause
// Every XML file of both corpora, with its expected content, which was counted by hand from the files.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tests/classes.hpp>
#include <tests/corpus.hpp>
#include <utility>
#include <vector>

#include <topowise/base/file.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/source.hpp>

using namespace topowise;

namespace {

struct Machine {
  std::string_view file;
  std::size_t places;
  std::string_view census;              ///< of the classes of all pairs
  std::string_view numa;                ///< NUMA domains of the places, in order
  std::vector<std::string_view> pairs;  ///< "0 3 XGMI2": some pairs that show the numbering
  std::string_view warning;             ///< expected warning; empty: there must be no warning
};

const std::vector<Machine> kMachines{
    {"nccl-xml/aws-p4d-24xl.xml",
     8,
     "PIX 4, PHB 8, SYS 16",
     "0 0 0 0 1 1 1 1",
     {"0 1 PIX", "1 2 PHB", "3 4 SYS"},
     "GPUs of this kind (A100 SXM4 40GB) have it"},
    {"nccl-xml/aws-g5-48xl.xml", 8, "PHB 12, SYS 16", "0 0 0 0 1 1 1 1", {}, "its 8 devices are taken to be GPUs"},
    {"nccl-xml/azure-ncv4-4xa100.xml", 4, "SYS 6", "0 1 2 3", {}, "GPU3: 12 nvlink links lead back to itself"},
    {"nccl-xml/azure-ndv4-a100.xml",
     8,
     "PIX 4, SYS 24",
     "1 1 0 0 3 3 2 2",
     {"0 1 PIX", "1 2 SYS", "6 7 PIX"},
     "does not show NVLink or xGMI: it has no <gpu>"},
    {"nccl-xml/mi100-16-4islands.xml",
     16,
     "XGMI1 24, PIX 32, PHB 64",
     "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
     {"0 5 XGMI1", "0 7 XGMI1", "1 4 XGMI1", "0 1 PIX", "8 11 XGMI1", "12 15 XGMI1", "8 12 PIX", "7 8 PHB"},
     ""},
    {"nccl-xml/mi210-3-pcie.xml", 3, "PHB 1, SYS 2", "0 1 1", {"1 2 PHB"}, ""},
    {"nccl-xml/mi250-16gcd-rccl.xml",
     16,
     "XGMI4 8, XGMI2 4, XGMI1 16, XGMIH2 44, XGMIH3 32, XGMIH4 14, XGMIH5 2",
     "0 0 0 0 1 1 1 1 2 2 2 2 3 3 3 3",
     {"0 1 XGMI4", "0 4 XGMI2", "0 2 XGMI1", "11 15 XGMI2", "14 15 XGMI4"},
     ""},
    {"nccl-xml/mi250-8gcd-2numa.xml",
     8,
     "XGMI4 4, XGMI2 2, XGMI1 6, XGMIH2 16",
     "1 1 1 1 3 3 3 3",
     {"0 1 XGMI4", "0 4 XGMI2", "0 6 XGMI1", "2 6 XGMI2", "5 7 XGMI1"},
     ""},
    {"nccl-xml/mi250-8gcd-rccl.xml",
     8,
     "XGMI1 12, XGMIH2 16",
     "0 0 0 0 0 0 0 0",
     {"0 1 XGMI1", "0 6 XGMI1", "0 7 XGMIH2"},
     "every xGMI bond is given as 1 link"},
    {"nccl-xml/mi300a-4-rccl.xml", 4, "XGMI1 6", "2 3 0 1", {}, "every xGMI bond is given as 1 link"},
    {"nccl-xml/mi300x-8-rccl.xml", 8, "XGMI1 28", "0 0 0 0 1 1 1 1", {}, ""},
    {"nccl-xml/mi50-8-rome-shuffled.xml",
     8,
     "XGMI1 8, XGMIH2 4, PHB 3, SYS 13",
     "1 0 1 2 3 1 2 3",
     {"0 1 XGMI1", "1 2 XGMI1", "2 6 XGMI1", "6 0 XGMI1", "3 5 XGMI1", "5 4 XGMI1", "4 7 XGMI1", "7 3 XGMI1",
      "0 2 XGMIH2", "0 5 PHB", "3 6 PHB", "0 3 SYS"},
     ""},
    {"nccl-xml/oci-h100-full-dump.xml", 8, "NV18 28", "0 0 0 0 1 1 1 1", {}, ""},
    {"nccl-xml/rtx4090-4-61virtual-nets.xml", 4, "SYS 6", "3 2 0 7", {}, "15 virtual network interfaces are left out"},
    {"hwloc-xml/dgx2-16xv100-nvswitch.xml",
     16,
     "NV6 120",
     "0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1",
     {},
     "hwloc lists no links between NVSwitches"},
    {"hwloc-xml/gb10-dgx-spark.xml",
     20,
     "T1 90, T2 100",
     "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
     {"0 9 T1", "9 10 T2"},
     "no device is described"},
    {"hwloc-xml/h200-4x-turin-nvml.xml", 4, "NV6 6", "1 2 6 7", {}, ""},
    {"hwloc-xml/mi250x-8gcd-tioga.xml",
     8,
     "XGMI1 28",
     "3 3 1 1 0 0 2 2",
     {},
     "hwloc gives 100 GB/s for every pair of GPUs"},
    {"hwloc-xml/p100-2-pascal.xml", 2, "PIX 1", "0 0", {}, ""},
    {"hwloc-xml/p100-4-power8-nvlink.xml", 4, "NV2 2, SYS 4", "0 0 1 1", {"0 1 NV2", "2 3 NV2"}, ""},
    {"hwloc-xml/t4-8-g4dn-metal.xml",
     8,
     "PHB 4, NODE 8, SYS 16",
     "0 0 0 0 1 1 1 1",
     {"0 1 PHB", "1 2 NODE", "2 3 PHB", "3 4 SYS"},
     ""},
    {"hwloc-xml/v100-4-lassen.xml",
     4,
     "PIX 2, SYS 4",
     "0 0 8 8",
     {"0 1 PIX", "2 3 PIX"},
     "GPUs of this kind (V100 SXM2 16GB) have it"},
};

std::string numa_of(const Topology& machine) {
  std::string text;
  for (std::size_t p = 0; p < machine.place_count(); ++p)
    text += (p > 0 ? " " : "") + std::to_string(machine.vertex_of(Place(p)).numa);
  return text;
}

bool warns(const Topology& machine, std::string_view text) {
  return std::ranges::any_of(machine.warnings(),
                             [&](const std::string& warning) { return warning.find(text) != std::string::npos; });
}

std::size_t nics_of(const Topology& machine) {
  return static_cast<std::size_t>(std::ranges::count(machine.vertices(), VertexKind::nic, &Vertex::kind));
}

/// The path of a file that the project has.
std::string path_of(std::string_view file) {
  const std::optional<std::string> path = test::corpus_file(file);
  REQUIRE(path);
  return *path;
}

Topology read(std::string_view file) {
  return read_topology(path_of(file));
}

}  // namespace

TEST_CASE("every XML file of the corpus has the places and classes that it states") {
  for (const Machine& expected : kMachines) {
    CAPTURE(expected.file);
    const std::optional<std::string> path = test::corpus_file(expected.file);
    if (!path) continue;
    const Topology machine = read_topology(*path);
    CHECK(machine.place_count() == expected.places);
    CHECK(test::census(machine) == expected.census);
    CHECK(numa_of(machine) == expected.numa);
    for (const std::string_view pair : expected.pairs) {
      const auto words = std::string(pair);
      const std::size_t first = words.find(' ');
      const std::size_t second = words.find(' ', first + 1);
      CAPTURE(pair);
      CHECK(to_string(machine.path_class(Place(std::stoul(words.substr(0, first))),
                                         Place(std::stoul(words.substr(first + 1, second))))) ==
            words.substr(second + 1));
    }
    if (expected.warning.empty())
      CHECK(machine.warnings().empty());
    else
      CHECK(warns(machine, expected.warning));
  }
}

TEST_CASE("no XML file of the corpus is left out of the table") {
  for (const std::string_view folder : {"nccl-xml", "hwloc-xml"}) {
    for (const std::filesystem::path& path : test::corpus_files(folder)) {
      const std::string file = std::string(folder) + "/" + path.filename().string();
      CAPTURE(file);
      CHECK(std::ranges::find(kMachines, file, &Machine::file) != kMachines.end());
    }
  }
}

TEST_CASE("NICs, bus ids, processors and rates of the corpus") {
  CHECK(nics_of(read("nccl-xml/oci-h100-full-dump.xml")) == 8);
  CHECK(nics_of(read("nccl-xml/mi250-16gcd-rccl.xml")) == 8);
  CHECK(nics_of(read("nccl-xml/azure-ndv4-a100.xml")) == 8);
  CHECK(nics_of(read("nccl-xml/rtx4090-4-61virtual-nets.xml")) == 1);
  CHECK(nics_of(read("hwloc-xml/mi250x-8gcd-tioga.xml")) == 5);

  const Topology mi300a = read("nccl-xml/mi300a-4-rccl.xml");
  CHECK(mi300a.vertex_of(Place(0)).pci->to_string() == "0000:82:00.0");
  CHECK(mi300a.vertex_of(Place(0)).cpus == "48-71,144-167");
  for (const Link& link : mi300a.links()) {
    if (mi300a.vertex(link.from).name == "cxi0") CHECK(link.bandwidth.value() == 25e9);
  }
  CHECK(read("nccl-xml/rtx4090-4-61virtual-nets.xml").vertex_of(Place(2)).name == "GPU3");
  CHECK(read("nccl-xml/mi250-8gcd-2numa.xml").bandwidth(Place(0), Place(1)).value() == 200e9);
  CHECK(read("nccl-xml/oci-h100-full-dump.xml").bandwidth(Place(0), Place(7)).value() == 450e9);
  CHECK(read("hwloc-xml/dgx2-16xv100-nvswitch.xml").bandwidth(Place(0), Place(15)).value() == 150e9);
  if (const std::optional<std::string> turin = test::corpus_file("hwloc-xml/h200-4x-turin-nvml.xml")) {
    CHECK(read_topology(*turin).vertex_of(Place(3)).cpus == "112-127,240-255");
    CHECK(read_topology(*turin).vertex_of(Place(0)).uuid.starts_with("GPU-"));
  }
}

TEST_CASE("hwloc's flat 100 GB/s for MI250X gives way to the real 200, 100 and 50") {
  const std::string tioga = path_of("hwloc-xml/mi250x-8gcd-tioga.xml");
  const std::string by_bus = tioga + "+preset:mi250x";
  const std::string by_order = path_of("nccl-xml/mi250-8gcd-2numa.xml") + "+" + tioga;
  for (const std::string& sources : {by_bus, by_order}) {
    CAPTURE(sources);
    const Topology joined = read_topology(sources);
    CHECK(test::census(joined) == "XGMI4 4, XGMI2 2, XGMI1 6, XGMIH2 16");
    CHECK(joined.bandwidth(Place(0), Place(1)).value() == 200e9);
    CHECK(joined.bandwidth(Place(2), Place(3)).value() == 200e9);
    CHECK(warns(joined, "hwloc-xml (constant) in " + tioga + " says XGMI1 at 100 GB/s"));
    CHECK(warns(joined, "XGMI4 at 200 GB/s"));
  }
  const Topology preset = read_topology(by_bus);
  CHECK(preset.bandwidth(Place(0), Place(6)).value() == 100e9);
  CHECK(preset.bandwidth(Place(0), Place(2)).value() == 50e9);
  CHECK(preset.link(preset.route(Place(0), Place(1)).front()).source == "preset (nominal)");
  CHECK(warns(preset, "kept preset (nominal) in mi250x: it knows the width of each bond of this model"));
  CHECK_FALSE(warns(preset, "not by bus id"));
  CHECK(warns(read_topology(by_order), "only 0 of their bus ids agree"));
}

TEST_CASE("bonds that RCCL does not count have the width and the rate of the preset") {
  const std::optional<std::string> path = test::corpus_file("nccl-xml/mi300a-4-rccl.xml");
  if (!path) return;
  const Topology joined = read_topology(*path + "+preset:mi300a");
  CHECK(to_string(joined.path_class(Place(0), Place(3))) == "XGMI2");
  CHECK(joined.bandwidth(Place(0), Place(3)).value() == 128e9);
  CHECK(joined.vertex_of(Place(0)).pci->to_string() == "0000:82:00.0");
  for (std::size_t p = 0; p < 4; ++p)
    CHECK(joined.vertex_of(Place(p)).numa == read_topology("preset:mi300a").vertex_of(Place(p)).numa);
}

TEST_CASE("presets are the machines of the corpus") {
  struct Pair {
    std::string_view preset, file;
    bool same_numbering;
  };
  constexpr Pair kPairs[] = {
      {"dgx1-v100", "nvidia-smi-topo/dgx1-v100-tabs-unsorted-nics.txt", true},
      {"dgx1-v100", "nvidia-smi-topo/dgx1-v100-indented.txt", true},
      {"dgx1-v100", "nvidia-smi-topo/v100-8x-doubletabs.txt", false},
      {"k80-4boards", "nvidia-smi-topo/k80-4boards-8gpu.txt", true},
      {"a100-pcie-bridge8", "nvidia-smi-topo/a100-8x-pairs-scrambled.txt", true},
      {"polaris-a100", "nvidia-smi-topo/polaris-4xa100-markdown.md", true},
      {"hgx-a800", "nvidia-smi-topo/a800-8x-4nic.txt", true},
      {"hgx-h200", "nvidia-smi-topo/h200-8x-10nic-ansi.txt", true},
      {"h200-nvl4-turin", "nvidia-smi-topo/h200-4x-turin.txt", true},
      {"esc8000a-4", "nvidia-smi-topo/rtx6000ada-4x-4nic-esc8000a.txt", true},
      {"s822lc-p100", "nvidia-smi-topo/s822lc-4xp100-soc.txt", true},
      {"s822lc-p100", "hwloc-xml/p100-4-power8-nvlink.xml", true},
      {"h200-nvl4-turin", "hwloc-xml/h200-4x-turin-nvml.xml", true},
      {"dgx2", "hwloc-xml/dgx2-16xv100-nvswitch.xml", true},
      {"hgx-h100", "nccl-xml/oci-h100-full-dump.xml", true},
      {"mi250-8", "nccl-xml/mi250-8gcd-2numa.xml", true},
      {"mi250x", "nccl-xml/mi250-8gcd-2numa.xml", false},
      {"mi300x", "nccl-xml/mi300x-8-rccl.xml", true},
      {"mi100-16", "nccl-xml/mi100-16-4islands.xml", true},
      {"mi50-8-rome", "nccl-xml/mi50-8-rome-shuffled.xml", true},
  };
  for (const Pair& pair : kPairs) {
    CAPTURE(pair.preset);
    CAPTURE(pair.file);
    const Topology preset = read_topology("preset:" + std::string(pair.preset));
    const std::optional<std::string> path = test::corpus_file(pair.file);
    if (!path) continue;
    const Topology captured = read_topology(*path);
    CHECK(test::Isomorphism(preset, captured).exists());
    if (!pair.same_numbering) continue;
    for (std::size_t a = 0; a < preset.place_count(); ++a) {
      for (std::size_t b = 0; b < preset.place_count(); ++b)
        CHECK(to_string(preset.path_class(Place(a), Place(b))) == to_string(captured.path_class(Place(a), Place(b))));
      if (captured.vertex_of(Place(a)).numa >= 0 && preset.vertex_of(Place(a)).numa >= 0)
        CHECK(preset.vertex_of(Place(a)).numa == captured.vertex_of(Place(a)).numa);
    }
  }
}

TEST_CASE("each file of the corpus is recognised as what it is") {
  constexpr std::pair<std::string_view, std::string_view> kFolders[] = {
      {"nccl-xml", "nccl-xml"},           {"hwloc-xml", "hwloc-xml"},  {"nvidia-smi-topo", "nvidia-smi"},
      {"ibnetdiscover", "ibnetdiscover"}, {"slurm-topology", "slurm"}, {"qaplib", "matrix"},
      {"p2p-bandwidth", "matrix"}};
  for (const auto& [folder, name] : kFolders) {
    for (const std::filesystem::path& path : test::corpus_files(folder)) {
      CAPTURE(path);
      const std::string text = std::string(Input(path.string()).head());
      const auto found = std::ranges::find_if(topology_formats(),
                                              [&](const TopologyFormat& format) { return format.recognises(text); });
      REQUIRE(found != topology_formats().end());
      CHECK(found->name == name);
    }
  }
}

TEST_CASE("what a virtual machine hides, its measurements show") {
  const Topology joined = read_topology(path_of("nccl-xml/azure-ncv4-4xa100.xml") + "+" +
                                        path_of("nvidia-smi-topo/azure-nc96-4xa100-4numa.txt") + "+" +
                                        path_of("p2p-bandwidth/azure-nc96-4xa100.p2p.txt"));
  CHECK(test::census(joined) == "NV12 2, SYS 4");
  CHECK(joined.vertex_of(Place(1)).pci->to_string() == "0002:00:00.0");
  CHECK(joined.bandwidth(Place(0), Place(1)).value() > 270e9);
  CHECK(joined.bandwidth(Place(0), Place(2)).value() < 22e9);
  CHECK(joined.has_pair_matrix(Metric::latency));
}
