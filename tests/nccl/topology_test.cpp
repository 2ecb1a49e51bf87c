// SPDX-License-Identifier: BSD-3-Clause
// --emit nccl-topo: the file written for a machine reads back as the same machine.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/random.hpp>
#include <topowise/launch/launcher.hpp>
#include <topowise/topology_source/node/text_formats.hpp>
#include <topowise/topology_source/source.hpp>

using namespace topowise;

namespace {

/// The GPUs of one node, as ranks in the order of their bus ids.
std::vector<Place> gpus_of_a_node(const Topology& machine) {
  std::vector<Place> places;
  const std::string node = node_name(machine, machine.place(Place(0)).vertex);
  for (std::size_t p = 0; p < machine.place_count(); ++p)
    if (node_name(machine, machine.place(Place(p)).vertex) == node) places.emplace_back(p);
  std::ranges::stable_sort(places, {}, [&](Place place) { return machine.vertex_of(place).pci; });
  return places;
}

std::string emitted(const Topology& machine, const std::vector<Place>& places) {
  const Mapping mapping(places);
  return launcher_text("nccl-topo", place_ranks(mapping, machine), machine);
}

Topology reread(const std::string& text) {
  CAPTURE(text);
  return kNcclXmlFormat.read("emitted.xml", text);
}

std::vector<std::string> nics(const Topology& machine, std::string_view node) {
  std::vector<std::string> all;
  for (std::size_t v = 0; v < machine.vertices().size(); ++v) {
    const Vertex& vertex = machine.vertex(VertexId(v));
    if (vertex.kind == VertexKind::nic && vertex.pci && node_name(machine, VertexId(v)) == node)
      all.push_back(fmt::format("{} {}", vertex.pci->to_string(), vertex.name));
  }
  std::ranges::sort(all);
  return all;
}

/// Compares the classes of all pairs, bus ids, NUMA domains and processors.
void check_same(const Topology& machine, const std::vector<Place>& places, const Topology& again) {
  REQUIRE(again.place_count() == places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Vertex& before = machine.vertex_of(places[i]);
    const Vertex& after = again.vertex_of(Place(i));
    CHECK(after.pci == before.pci);
    CHECK(after.numa == before.numa);
    CHECK(after.cpus == before.cpus);
    for (std::size_t j = 0; j < places.size(); ++j)
      CHECK(to_string(again.path_class(Place(i), Place(j))) == to_string(machine.path_class(places[i], places[j])));
  }
}

}  // namespace

TEST_CASE("every NCCL and RCCL file of the corpus, emitted and read again, is the same machine") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TOPOWISE_CORPUS "/nccl-xml")) {
    CAPTURE(entry.path().string());
    const Topology machine = read_topology(entry.path().string());
    const std::vector<Place> places = gpus_of_a_node(machine);
    const std::string text = emitted(machine, places);
    check_same(machine, places, reread(text));
    CHECK(nics(reread(text), "") == nics(machine, node_name(machine, machine.place(places[0]).vertex)));
    const std::string again = emitted(reread(text), gpus_of_a_node(reread(text)));
    CHECK(again.substr(again.find("-->")) == text.substr(text.find("-->")));  // compares the text after the name
    ++files;
  }
  CHECK(files >= 14);
}

TEST_CASE("random trees of switches with bonds") {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    TopologyBuilder builder("node");
    std::uint8_t bus = 0;
    std::vector<VertexId> above;
    for (int numa = 0; numa < 2; ++numa) {
      above.push_back(builder.add_vertex({.kind = VertexKind::numa_domain,
                                          .name = fmt::format("NUMA {}", numa),
                                          .numa = numa,
                                          .cpus = fmt::format("{}-{}", numa * 40, numa * 40 + 39)}));
    }
    builder.add_links({.from = above[0], .to = above[1], .kind = LinkKind::inter_socket});
    const auto hang = [&](VertexKind kind, std::string name, std::optional<PciAddress> pci) {
      const VertexId top = above[random.below(static_cast<std::uint32_t>(above.size()))];
      const Vertex& parent = builder.vertex(top);
      const VertexId id = builder.add_vertex(
          {.kind = kind, .name = std::move(name), .pci = pci, .numa = parent.numa, .cpus = parent.cpus, .parent = top});
      builder.add_links({.from = id, .to = top, .kind = LinkKind::pcie, .bandwidth = BytesPerSecond(31.5e9)});
      return id;
    };
    for (std::uint32_t i = random.below(6); i > 0; --i)
      above.push_back(hang(VertexKind::pcie_switch, "switch",
                           random.below(2) == 0 ? std::optional(PciAddress{1, ++bus, 0, 0}) : std::nullopt));
    std::vector<VertexId> gpus;
    for (std::uint32_t i = 1 + random.below(8); i > 0; --i)
      gpus.push_back(hang(VertexKind::gpu, fmt::format("GPU{}", gpus.size()), PciAddress{0, ++bus, 0, 0}));
    for (const VertexId gpu : gpus) builder.add_place(PlaceKind::gpu, gpu);
    for (std::size_t a = 0; a < gpus.size(); ++a)
      for (std::size_t b = a + 1; b < gpus.size(); ++b)
        if (random.below(3) == 0)
          builder.add_links({.from = gpus[a],
                             .to = gpus[b],
                             .kind = LinkKind::nvlink,
                             .width = 1 + static_cast<int>(random.below(4)),
                             .bandwidth = BytesPerSecond(25e9)});
    const Topology machine = std::move(builder).build();
    const std::vector<Place> places = gpus_of_a_node(machine);
    check_same(machine, places, reread(emitted(machine, places)));
  }
}

TEST_CASE("one file for nodes that are alike; what cannot be written is reported") {
  const std::string corpus = TOPOWISE_CORPUS "/nccl-xml/";
  const Topology alike = read_topology("cluster:tree:2," + corpus + "oci-h100-full-dump.xml,nic=50GB/s");
  std::vector<Place> all;
  for (std::size_t p = 0; p < alike.place_count(); ++p) all.emplace_back(p);
  const Topology one = read_topology(corpus + "oci-h100-full-dump.xml");
  check_same(one, gpus_of_a_node(one), reread(emitted(alike, all)));
  const auto refused = [](const Topology& machine, const std::vector<Place>& places) {
    try {
      (void)emitted(machine, places);
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      return error.diagnostics().front().what;
    }
    return std::string();
  };
  CHECK(refused(read_topology("preset:dgx1-v100"), {Place(0)}) == "'GPU0' has no PCI bus id, by which NCCL finds it");
  CHECK(refused(read_topology("tree:2:2"), {Place(0)}).find("no GPU") != std::string::npos);
  const Topology different =
      read_topology("cluster:tree:2," + corpus + "oci-h100-full-dump.xml,P1=" + corpus + "aws-p4d-24xl.xml,nic=50GB/s");
  all.clear();
  for (std::size_t p = 0; p < different.place_count(); ++p) all.emplace_back(p);
  CHECK(refused(different, all) == "the nodes 'P0' and 'P1' differ, but NCCL reads the file of its own node");
}
