// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/synthetic/preset.hpp>

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <tests/classes.hpp>

#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

struct Expected {
  std::string_view name;
  std::size_t places;
  std::string_view pairs;
};

constexpr Expected kExpected[] = {
    {"a100-pcie-bridge8", 8, "NV12 4, SYS 24"},
    {"a6000-10", 10, "PIX 8, NODE 12, SYS 25"},
    {"atlas-800t-a2", 8, "LINK 28"},
    {"atlas-800t-a3", 16, "C2C 8, LINK 112"},
    {"aurora-pvc", 12, "C2C 6, M2 60"},
    {"cs-storm-t1", 8, "PIX 4, PXB 24"},
    {"cs-storm-t2", 8, "PIX 4, PXB 8, PHB 16"},
    {"dgx-a100", 8, "NV12 28"},
    {"dgx1-p100", 8, "NV1 16, SYS 12"},
    {"dgx1-v100", 8, "NV2 8, NV1 8, SYS 12"},
    {"dgx2", 16, "NV6 120"},
    {"esc8000a-4", 4, "NODE 2, SYS 4"},
    {"eurompi2011-a", 32, "PHB 48, SYS 64, NET1 128, NET3 256"},
    {"eurompi2011-b", 128, "PHB 192, SYS 256, NET1 3584, NET3 4096"},
    {"gb200-nvl72", 72, "NV18 2556"},
    {"gb200-tray", 4, "NV18 6"},
    {"gb300-nvl72", 72, "NV18 2556"},
    {"gb300-tray", 4, "NV18 6"},
    {"gh200", 1, ""},
    {"gh200-quad", 4, "NV6 6"},
    {"h200-nvl4-turin", 4, "NV6 6"},
    {"helios-k80", 16, "PIX 8, PXB 16, PHB 32, SYS 64"},
    {"hgx-a800", 8, "NV8 28"},
    {"hgx-b200", 8, "NV18 28"},
    {"hgx-b300", 8, "NV18 28"},
    {"hgx-h100", 8, "NV18 28"},
    {"hgx-h200", 8, "NV18 28"},
    {"k80-4boards", 8, "PIX 4, PXB 8, SYS 16"},
    {"l40s-8", 8, "PIX 4, NODE 8, SYS 16"},
    {"metax-c500", 8, "LINK 12, SYS 16"},
    {"mi100-16", 16, "XGMI1 24, PIX 32, PHB 64"},
    {"mi250-8", 8, "XGMI4 4, XGMI2 2, XGMI1 6, XGMIH2 16"},
    {"mi250x", 8, "XGMI4 4, XGMI2 2, XGMI1 6, XGMIH2 16"},
    {"mi300a", 4, "XGMI2 6"},
    {"mi300x", 8, "XGMI1 28"},
    {"mi325x", 8, "XGMI1 28"},
    {"mi350x", 8, "XGMI1 28"},
    {"mi355x", 8, "XGMI1 28"},
    {"mi50-8-rome", 8, "XGMI1 8, XGMIH2 4, PHB 3, SYS 13"},
    {"mtt-s4000", 8, "LINK 28"},
    {"mtt-s5000", 8, "LINK2 28"},
    {"perlmutter-a100", 4, "NV4 6"},
    {"polaris-a100", 4, "NV4 6"},
    {"s822lc-p100", 4, "NV2 2, SYS 4"},
    {"summit-ac922", 6, "NV2 6, SYS 9"},
};

/// The number of links in the GPU's direct bond with each other GPU.
std::string bonds(const Topology& machine, std::size_t gpu) {
  std::string row;
  for (std::size_t other = 0; other < machine.place_count(); ++other) {
    const PathClass path = machine.path_class(Place(gpu), Place(other));
    const bool bonded = path.kind == PathKind::nvlink || path.kind == PathKind::xgmi;
    row += std::to_string(bonded ? path.grade : 0);
  }
  return row;
}

double gigabytes_per_second(const Topology& machine, std::size_t a, std::size_t b) {
  return machine.bandwidth(Place(a), Place(b)).value() / 1e9;
}

}  // namespace

TEST_CASE("every preset has the pairs that its source prints") {
  CHECK(presets().size() == std::size(kExpected));
  for (const Expected& expected : kExpected) {
    CAPTURE(expected.name);
    const Topology machine = read_preset(expected.name);
    CHECK(machine.name() == expected.name);
    CHECK(machine.place_count() == expected.places);
    CHECK(test::census(machine) == expected.pairs);
    CHECK(machine.warnings().empty());
  }
}

TEST_CASE("an unknown preset suggests a known one") {
  CHECK_THROWS_WITH_AS((void)read_preset("helios-k8"), "unknown preset 'helios-k8', did you mean 'helios-k80'?", Error);
}

TEST_CASE("cube meshes and GCDs are joined as published") {
  constexpr std::string_view kV100[] = {"01122000", "10210200", "12020010", "21200001",
                                        "20000112", "02001021", "00101202", "00012120"};
  constexpr std::string_view kP100[] = {"01111000", "10110100", "11010010", "11100001",
                                        "10000111", "01001011", "00101101", "00011110"};
  constexpr std::string_view kMi250x[] = {"04100020", "40010100", "10042000", "01400001",
                                          "00200410", "01004001", "20001004", "00010140"};
  constexpr std::string_view kMi250[] = {"04002010", "40010001", "00041020", "01400100",
                                         "20100400", "00014001", "10200004", "01000140"};
  for (std::size_t gpu = 0; gpu < 8; ++gpu) {
    CHECK(bonds(read_preset("dgx1-v100"), gpu) == kV100[gpu]);
    CHECK(bonds(read_preset("dgx1-p100"), gpu) == kP100[gpu]);
    CHECK(bonds(read_preset("mi250x"), gpu) == kMi250x[gpu]);
    CHECK(bonds(read_preset("mi250-8"), gpu) == kMi250[gpu]);
  }
}

TEST_CASE("networks of large machines have the sizes and wires that their sources state") {
  struct Row {
    std::string_view name;
    std::size_t places;
    std::size_t links;
    int farthest;
  };
  // Between the groups of Frontier there are 4 x 74 x 73 / 2 wires, between those of Aurora 2 x 166 x 165 / 2.
  const Row rows[] = {
      {"frontier-network", 9472, 2 * (9472 + 74 * 32 * 31 / 2 + 4 * 74 * 73 / 2), 5},
      {"aurora-network", 10624, 2 * (10624 + 166 * 32 * 31 / 2 + 2 * 166 * 165 / 2), 5},
      {"fugaku-network", 158976, 158976 * (2 + 2 + 2 + 1 + 2 + 1), 38},
      {"tpu-v5p-pod", 8960, 8960 * 6, 8 + 10 + 14},
  };
  CHECK(network_presets().size() == std::size(rows));
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Topology machine = read_preset(row.name);
    CHECK(machine.name() == row.name);
    CHECK(machine.place_count() == row.places);
    CHECK(machine.links().size() == row.links);
    CHECK(machine.levels().back().grade == row.farthest);
    REQUIRE(machine.network() != nullptr);
  }
  const Topology frontier = read_preset("frontier-network");
  CHECK(frontier.bandwidth(Place(0), Place(1)) == topowise::gigabytes_per_second(100));
  CHECK(frontier.bandwidth(Place(0), Place(4)) == topowise::gigabytes_per_second(25));
}

TEST_CASE("rates are per direction, links times the rate of one") {
  CHECK(gigabytes_per_second(read_preset("dgx1-v100"), 0, 3) == 50);
  CHECK(gigabytes_per_second(read_preset("dgx1-v100"), 0, 1) == 25);
  CHECK(gigabytes_per_second(read_preset("dgx2"), 0, 15) == 150);
  CHECK(gigabytes_per_second(read_preset("hgx-h100"), 0, 7) == 450);
  CHECK(gigabytes_per_second(read_preset("gb200-tray"), 0, 3) == 900);
  CHECK(gigabytes_per_second(read_preset("hgx-b300"), 0, 3) == 900);
  CHECK(gigabytes_per_second(read_preset("gh200-quad"), 0, 3) == 150);
  CHECK(gigabytes_per_second(read_preset("mi300a"), 0, 3) == 128);
  CHECK(gigabytes_per_second(read_preset("mi325x"), 0, 7) == 64);
  CHECK(gigabytes_per_second(read_preset("mi355x"), 0, 7) == 76.8);
  CHECK(gigabytes_per_second(read_preset("mi250x"), 0, 1) == 200);
  CHECK(gigabytes_per_second(read_preset("mi250x"), 0, 6) == 100);
  CHECK(gigabytes_per_second(read_preset("mi250x"), 0, 2) == 50);
  CHECK(gigabytes_per_second(read_preset("s822lc-p100"), 0, 1) == 40);
  CHECK(gigabytes_per_second(read_preset("a100-pcie-bridge8"), 0, 2) == doctest::Approx(275));
  CHECK(gigabytes_per_second(read_preset("a100-pcie-bridge8"), 0, 1) == 21.6);
  CHECK(read_preset("cs-storm-t2").bandwidth(Place(0), Place(7)).value() == doctest::Approx(11.6 * 1073741824));
  CHECK(gigabytes_per_second(read_preset("helios-k80"), 0, 7) == doctest::Approx(15.754));
  CHECK(gigabytes_per_second(read_preset("helios-k80"), 0, 8) == 6);
}

TEST_CASE("every pair of every preset has a rate, a latency and a provenance") {
  for (const Preset& preset : presets()) {
    CAPTURE(preset.name);
    const Topology machine = preset.make();
    for (std::size_t a = 0; a < machine.place_count(); ++a) {
      for (std::size_t b = 0; b < machine.place_count(); ++b) {
        if (a == b) continue;
        CHECK(machine.bandwidth(Place(a), Place(b)).value() > 0);
        CHECK(machine.latency(Place(a), Place(b)).value() > 0);
      }
    }
    for (const Link& link : machine.links()) {
      const bool marked = link.source == "preset (nominal)" || link.source == "preset (measured)" ||
                          link.source == "preset (nccl)" || link.source == "preset (assumed)";
      CHECK(marked);
    }
  }
}

TEST_CASE("the traps of numbering") {
  const Topology frontier = read_preset("mi250x");
  constexpr int kNuma[] = {3, 3, 1, 1, 0, 0, 2, 2};
  for (std::size_t gpu = 0; gpu < 8; ++gpu) CHECK(frontier.vertex_of(Place(gpu)).numa == kNuma[gpu]);
  CHECK(frontier.vertex_of(Place(4)).cpus == "0-7,64-71");
  CHECK(frontier.vertex_of(Place(0)).pci->to_string() == "0000:c1:00.0");
  CHECK(read_preset("polaris-a100").vertex_of(Place(0)).numa == 3);
  CHECK(read_preset("polaris-a100").vertex_of(Place(0)).cpus == "24-31,56-63");
  CHECK(read_preset("mi300a").vertex_of(Place(0)).numa == 2);
  CHECK(read_preset("dgx-a100").vertex_of(Place(4)).numa == 7);
  CHECK(read_preset("gb200-tray").vertex_of(Place(3)).cpus == "72-143");
}

TEST_CASE("machines of clusters name their NICs, each at its rate") {
  struct Nics {
    std::string_view preset;
    std::size_t count;
    double rate;  ///< GB/s of each NIC
  };
  constexpr Nics kNics[] = {{"aurora-pvc", 8, 25},      {"hgx-b300", 8, 100}, {"hgx-b200", 8, 50},
                            {"perlmutter-a100", 4, 25}, {"gh200", 1, 50},     {"gh200-quad", 4, 25},
                            {"mi355x", 8, 50},          {"hgx-h100", 8, 50},  {"dgx-a100", 8, 25}};
  for (const Nics& expected : kNics) {
    CAPTURE(expected.preset);
    const Topology machine = read_preset(expected.preset);
    std::size_t count = 0;
    for (const Link& link : machine.links()) {
      if (machine.vertex(link.from).kind != VertexKind::nic) continue;
      ++count;
      CHECK(link.bandwidth.value() / 1e9 == doctest::Approx(expected.rate));
    }
    CHECK(count == expected.count);
  }
}

TEST_CASE("the clusters of EuroMPI 2011: a socket, a node, a switch, the tree, each farther than the one before") {
  const Topology first = read_preset("eurompi2011-a");
  CHECK(first.levels().size() == 4);
  const auto distance = [](const Topology& machine, std::size_t a, std::size_t b) {
    return machine.distance(Place(a), Place(b));
  };
  CHECK(distance(first, 0, 3) < distance(first, 0, 4));   // the same socket; the other socket of the node
  CHECK(distance(first, 0, 7) < distance(first, 0, 16));  // the same node; another node at the same switch
  CHECK(distance(first, 0, 16) < distance(first, 0, 8));  // the next node is at the other switch
  const Topology second = read_preset("eurompi2011-b");
  CHECK(second.levels().size() == 4);
  CHECK(distance(second, 0, 8) < distance(second, 0, 64));  // the first eight nodes share a switch
  CHECK(distance(second, 0, 64) == distance(second, 0, 127));
}
