// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/merge/merge.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/merge/match.hpp>
#include <topowise/topology_source/merge/vendors.hpp>
#include <topowise/topology_source/node/on_node.hpp>
#include <topowise/topology_source/node/text_formats.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>

using namespace topowise;

namespace {

struct Bond {
  std::size_t a, b;
  int width;
  double gigabytes_per_second;
};

/// `count` GPUs, each below its own root complex in one NUMA domain; bus ids from `first_bus` upwards, or none.
TopologyBuilder node(const std::string& name, std::size_t count, int first_bus, const std::vector<Bond>& bonds,
                     const std::string& bond_source, LinkKind kind = LinkKind::xgmi) {
  TopologyBuilder builder(name);
  const VertexId numa = builder.add_vertex({.kind = VertexKind::numa_domain, .name = "NUMA 0", .numa = 0});
  std::vector<VertexId> gpus;
  for (std::size_t i = 0; i < count; ++i) {
    const VertexId root = builder.add_vertex({.kind = VertexKind::root_complex, .name = "root", .parent = numa});
    builder.add_links(
        {.from = root, .to = numa, .kind = LinkKind::host, .bandwidth = gigabytes_per_second(5000), .source = name});
    Vertex gpu{.kind = VertexKind::gpu, .name = "GPU" + std::to_string(i), .parent = root};
    if (first_bus >= 0) gpu.pci = PciAddress{0, static_cast<std::uint8_t>(first_bus + static_cast<int>(i)), 0, 0};
    gpus.push_back(builder.add_vertex(std::move(gpu)));
    builder.add_links({.from = gpus.back(),
                       .to = root,
                       .kind = LinkKind::pcie,
                       .bandwidth = gigabytes_per_second(16),
                       .source = name});
    builder.add_place(PlaceKind::gpu, gpus.back());
  }
  for (const Bond& bond : bonds)
    builder.add_links({.from = gpus[bond.a],
                       .to = gpus[bond.b],
                       .kind = kind,
                       .width = bond.width,
                       .bandwidth = gigabytes_per_second(bond.gigabytes_per_second),
                       .source = bond_source});
  return builder;
}

Topology measured(std::size_t count, double gigabytes_per_second, int first_bus = -1) {
  TopologyBuilder builder("p2p.txt");
  for (std::size_t i = 0; i < count; ++i) {
    Vertex gpu{.kind = VertexKind::gpu, .name = "GPU" + std::to_string(i)};
    if (first_bus >= 0) gpu.pci = PciAddress{0, static_cast<std::uint8_t>(first_bus + static_cast<int>(i)), 0, 0};
    builder.add_place(PlaceKind::gpu, builder.add_vertex(std::move(gpu)));
  }
  PairMatrix matrix{{}, "measured:p2p"};
  for (std::size_t i = 0; i < count * count; ++i)
    matrix.values.push_back(gigabytes_per_second * 1e9 + static_cast<double>(i));
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) builder.set_class(Place(a), Place(b), {PathKind::measured, 1});
  }
  builder.set_pair_matrix(Metric::bandwidth, std::move(matrix));
  return std::move(builder).build();
}

std::string path(const Topology& machine, std::size_t a, std::size_t b) {
  return to_string(machine.path_class(Place(a), Place(b)));
}

bool warns(const Topology& machine, const std::string& text) {
  return std::ranges::any_of(machine.warnings(),
                             [&](const std::string& warning) { return warning.find(text) != std::string::npos; });
}

/// An MI250X with four GCDs: the bonds that hwloc shows, and the real ones.
const std::vector<Bond> kFlat{{0, 1, 1, 100}, {0, 2, 1, 100}, {0, 3, 1, 100},
                              {1, 2, 1, 100}, {1, 3, 1, 100}, {2, 3, 1, 100}};
const std::vector<Bond> kReal{{0, 1, 4, 200}, {1, 2, 1, 50}, {2, 3, 4, 200}, {0, 3, 2, 100}};

}  // namespace

TEST_CASE("an assumed rate gives way to what was measured of a pair across it") {
  const Topology node = read_topology_text(
      "topo", "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\tX\tSYS\t0-3\t0\nGPU1\tSYS\tX\t4-7\t1\n");
  const Topology rates = read_topology_text("rates",
                                            "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D  "
                                            "   0      1\n     0 900.1 19.5\n     1 19.5 901.2\n");
  const Topology joined = merge(node, rates);
  for (const LinkId link : joined.route(Place(0), Place(1))) CHECK(joined.link(link).bandwidth.value() >= 19.5e9);
}

TEST_CASE("a placeholder gives way to real widths, and that is said") {
  const Topology hwloc = node("hwloc.xml", 4, 16, kFlat, "hwloc-xml (constant)").build();
  const Topology rccl = node("rccl.xml", 4, 16, kReal, "nccl-xml (nominal)").build();
  for (const Topology& joined : {merge(hwloc, rccl), merge(rccl, hwloc)}) {
    CHECK(path(joined, 0, 1) == "XGMI4");
    CHECK(path(joined, 1, 2) == "XGMI1");
    CHECK(path(joined, 0, 3) == "XGMI2");
    CHECK(path(joined, 0, 2) == "XGMIH2");
    CHECK(joined.bandwidth(Place(0), Place(1)).value() == 200e9);
    CHECK(joined.bandwidth(Place(1), Place(2)).value() == 50e9);
    CHECK(joined.link(joined.route(Place(0), Place(1)).front()).source == "nccl-xml (nominal)");
    CHECK(warns(joined, "kept nccl-xml (nominal) in rccl.xml: the vendor's tool counts the links of each bond"));
    CHECK(warns(joined, "GPU0-GPU1 and 1 more: "));
    CHECK_FALSE(warns(joined, "not by bus id"));
  }
}

TEST_CASE("a user's own words are trusted for what they say, and a source without words has the machine's name") {
  const Topology survey = node("ann.json", 2, 16, {{0, 1, 4, 200}}, "site survey 2026 by Ann").build();
  const Topology silent = node("silent.json", 2, 16, {{0, 1, 2, 100}}, "").build();
  for (const Topology& joined : {merge(survey, silent), merge(silent, survey)}) {
    CHECK(warns(joined, "site survey 2026 by Ann in ann.json says XGMI4 at 200 GB/s"));
    CHECK(warns(joined, "silent.json says XGMI2 at 100 GB/s"));
    CHECK(warns(joined, ": its description states the bond"));
    CHECK_FALSE(warns(joined, "counts the links"));
  }
}

TEST_CASE("words that begin like a tool's name are no tool's, and count nobody's links") {
  const Topology notes = node("ann.json", 2, 16, {{0, 1, 4, 200}}, "nvidia-smi, copied by Ann").build();
  const Topology driver = node("driver", 2, 16, {{0, 1, 2, 100}}, "hip (nominal)").build();
  const Topology rccl = node("rccl.xml", 2, 16, {{0, 1, 1, 50}}, "nccl-xml (nominal)").build();
  CHECK(warns(merge(notes, driver), "kept nvidia-smi, copied by Ann in ann.json: its description states the bond"));
  CHECK(warns(merge(notes, rccl),
              "kept nccl-xml (nominal) in rccl.xml: the vendor's tool counts the links of each bond"));
  CHECK(vendor_of_machine(node("ann.json", 2, 16, {}, "cuda, I think").build()) == GpuVendor::unknown);
}

TEST_CASE("bus ids decide which GPU is which, not the order") {
  Topology a = node("a", 2, 16, {{0, 1, 2, 50}}, "nccl-xml", LinkKind::nvlink).build();
  TopologyBuilder builder("b");
  for (const int bus : {17, 16}) {
    builder.add_place(PlaceKind::gpu, builder.add_vertex({.kind = VertexKind::gpu,
                                                          .name = "x",
                                                          .pci = PciAddress{0, static_cast<std::uint8_t>(bus), 0, 0},
                                                          .uuid = "GPU-" + std::to_string(bus)}));
  }
  builder.set_class(Place(0), Place(1), {PathKind::measured, 1});
  builder.set_pair_matrix(Metric::latency, {{0, 1e-6, 2e-6, 0}, "measured:x"});
  const Topology joined = merge(a, std::move(builder).build());
  CHECK(joined.vertex_of(Place(0)).uuid == "GPU-16");
  CHECK(joined.latency(Place(1), Place(0)).value() == 1e-6);
  CHECK(joined.latency(Place(0), Place(1)).value() == 2e-6);
  CHECK(joined.pair_matrix_source(Metric::latency) == "measured:x");
  CHECK(joined.warnings().empty());
}

TEST_CASE("a measurement survives, without bus ids by order, and contradicts what is far off") {
  const Topology node_xml = node("node.xml", 2, 16, {{0, 1, 1, 100}}, "hwloc-xml").build();
  const Topology close = merge(node_xml, measured(2, 90));
  CHECK(close.bandwidth(Place(0), Place(1)).value() == doctest::Approx(90e9));
  CHECK(path(close, 0, 1) == "XGMI1");
  REQUIRE(close.warnings().size() == 1);
  CHECK(close.warnings()[0] ==
        "'node.xml' and 'p2p.txt' are joined by the order of their places, not by bus id: 'p2p.txt' does not give the "
        "bus ids of its places");
  const Topology far = merge(measured(2, 50, 16), node_xml);
  CHECK(far.bandwidth(Place(0), Place(1)).value() == doctest::Approx(50e9));
  REQUIRE(far.warnings().size() == 1);
  CHECK(far.warnings()[0] ==
        "GPU0-GPU1: hwloc-xml in node.xml says XGMI1 at 100 GB/s, measured:p2p in p2p.txt says 50 GB/s; kept "
        "measured:p2p in p2p.txt: it is a measurement");
}

TEST_CASE("an assumed rate gives way to a stated one, and where the widths differ to the rate of one link") {
  const auto named = [](int width, double rate, const char* source) {
    return node("m", 2, -1, {{0, 1, width, rate}}, source, LinkKind::nvlink).build();
  };
  const Topology tool = named(18, 450, "nvidia-smi (assumed)");
  const Topology preset = named(18, 900, "preset (nominal)");
  for (const Topology& joined : {merge(tool, preset), merge(preset, tool)}) {
    CHECK(joined.bandwidth(Place(0), Place(1)).value() == 900e9);
    CHECK(joined.link(joined.route(Place(0), Place(1)).front()).source == "preset (nominal)");
  }
  const Topology other = named(12, 600, "preset (nominal)");
  for (const Topology& joined : {merge(tool, other), merge(other, tool)}) {
    CHECK(path(joined, 0, 1) == "NV18");  // the widths of this machine count
    CHECK(joined.bandwidth(Place(0), Place(1)).value() == 900e9);
    CHECK(warns(joined, "says NV18"));
  }
}

TEST_CASE("what a matrix assumes of the host gives way to what is known; its classes stay") {
  const Topology matrix = kNvidiaSmiFormat.read("topo.txt",
                                                "\tGPU0\tGPU1\tNIC0\n"
                                                "GPU0\t X \tSYS\tNODE\nGPU1\tSYS\t X \tSYS\nNIC0\tNODE\tSYS\t X \n");
  TopologyBuilder builder = node("preset", 2, -1, {}, "preset (nominal)");
  const VertexId package = builder.add_vertex({.kind = VertexKind::package, .name = "socket 1"});
  const auto join = [&](VertexId from, VertexId to, LinkKind kind, double rate) {
    builder.add_links(
        {.from = from, .to = to, .kind = kind, .bandwidth = gigabytes_per_second(rate), .source = "preset (nominal)"});
  };
  join(VertexId(0), package, LinkKind::inter_socket, 22);
  join(builder.add_vertex({.kind = VertexKind::nic, .name = "mlx5_0", .parent = VertexId(0)}), VertexId(0),
       LinkKind::pcie, 50);
  join(VertexId(2), VertexId(0), LinkKind::c2c, 450);  // between GPU0 and its processor
  const Topology known = std::move(builder).build();
  for (const Topology& joined : {merge(matrix, known), merge(known, matrix)}) {
    CHECK(path(joined, 0, 1) == "SYS");
    std::vector<double> rates;
    for (const Link& link : joined.links()) {
      CHECK_FALSE(link.source.is_assumed());
      if (link.kind != LinkKind::host) rates.push_back(link.bandwidth.value() / 1e9);
    }
    std::ranges::sort(rates);
    CHECK(rates == std::vector<double>{16, 16, 16, 16, 22, 22, 50, 50, 450, 450});
  }
}

TEST_CASE("a matrix with bus ids does not replace a host without them") {
  const Topology tool = node("smi.txt", 2, -1, {{0, 1, 4, 100}}, "nvidia-smi (nominal)", LinkKind::nvlink).build();
  const Topology joined = merge(measured(2, 93, 16), tool);
  CHECK(joined.name() == "p2p.txt+smi.txt");
  CHECK(path(joined, 0, 1) == "NV4");
  CHECK(joined.vertices().size() == tool.vertices().size());
  CHECK(joined.vertex_of(Place(1)).pci->to_string() == "0000:11:00.0");
  CHECK(joined.bandwidth(Place(0), Place(1)).value() == doctest::Approx(93e9));
}

TEST_CASE("classes that contradict are reported, the PCI tree that was read is kept") {
  TopologyBuilder tool("smi.txt");
  for (int i = 0; i < 2; ++i)
    tool.add_place(PlaceKind::gpu, tool.add_vertex({.kind = VertexKind::gpu, .name = "GPU" + std::to_string(i)}));
  tool.set_class(Place(0), Place(1), {PathKind::pix, 0});
  const Topology joined = merge(std::move(tool).build(), node("node.xml", 2, 16, {}, "").build());
  CHECK(path(joined, 0, 1) == "NODE");
  CHECK(warns(joined, "node.xml says NODE at 16 GB/s, smi.txt says PIX; kept node.xml"));
}

TEST_CASE("nodes with the same bus ids: by name in clusters; names that differ are reported") {
  const auto named = [](std::initializer_list<const char*> hosts, const std::string& name) {
    TopologyBuilder builder(name);
    for (const char* host : hosts) {
      const VertexId top = builder.add_vertex({.kind = VertexKind::compute_node, .name = host, .node = host});
      for (std::uint8_t bus = 1; bus < 3; ++bus) {
        const VertexId gpu = builder.add_vertex({.kind = VertexKind::gpu,
                                                 .name = std::string("GPU") + host,
                                                 .pci = PciAddress{0, bus, 0, 0},
                                                 .node = host,
                                                 .parent = top});
        builder.add_links({.from = gpu, .to = top, .kind = LinkKind::pcie});
        builder.add_place(PlaceKind::gpu, gpu);
      }
    }
    return std::move(builder).build();
  };
  const PlaceMatch match = match_places(named({"n1", "n2"}, "here"), named({"n2", "n1"}, "there"));
  CHECK(match.warnings.empty());
  CHECK(match.other_of == std::vector<std::optional<Place>>{Place(2U), Place(3U), Place(0U), Place(1U)});
  CHECK(match_places(named({"n1"}, "here"), named({"n1.a.org"}, "there")).warnings.empty());
  CHECK(match_places(named({"n1"}, "here"), named({"n2"}, "there")).warnings ==
        std::vector<std::string>{"'here' describes the node n1, 'there' the node n2: they are taken to be alike"});
}

TEST_CASE("a part of a machine joins with the whole; another machine does not") {
  const Topology whole = node("whole", 4, 16, {}, "").build();
  const Topology part = node("part", 2, 17, {{0, 1, 3, 75}}, "nccl-xml", LinkKind::nvlink).build();
  const Topology joined = merge(whole, part);
  CHECK(joined.place_count() == 4);
  CHECK(path(joined, 1, 2) == "NV3");
  CHECK(warns(joined, "'part' does not know GPU0 (0000:10:00.0), GPU3 (0000:13:00.0)"));
  CHECK_THROWS_AS((void)merge(whole, node("other", 3, 64, {}, "").build()), Error);
  CHECK(warns(merge(whole, node("renumbered", 4, 64, {}, "").build()), "only 0 of their bus ids agree"));
}

TEST_CASE("the name of the host comes from whichever part states it") {
  const Topology named = on_node(read_preset("dgx1-v100"), "n07");
  for (const Topology& joined : {merge(read_preset("dgx1-v100"), named), merge(named, read_preset("dgx1-v100"))})
    CHECK(joined.vertex_of(Place(3)).node == "n07");
}

namespace {

/// What a join says, as text, or why it refuses it, with `name` replaced.
std::string joined_text(const std::string& name, const std::string& first, const std::string& second,
                        bool first_named) {
  std::string text;
  try {
    const Topology a = read_topology_text(first_named ? name : "A", first);
    const Topology b = read_topology_text(first_named ? "B" : name, second);
    text = to_json(merge(a, b));
  } catch (const Error& error) {
    text = error.what();
  }
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    text.replace(at, name.size(), "*");
  return text;
}

}  // namespace

TEST_CASE("the same bytes under any name make the same join") {
  const std::vector<std::string> texts{
      R"({"schema": "topowise.topology/1", "name": "m", "places": [{"kind": "gpu", "name": "NVIDIA GPU0"},
          {"kind": "gpu", "name": "AMD GPU0"}, {"kind": "gpu", "name": "NVIDIA GPU1"}]})",
      "\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n",
      "\tGPU0\tGPU1\nGPU0\t X \tSYS\nGPU1\tSYS\t X \n",
      "0 1\n1 0\n",
      "P2P=Enabled Latency Matrix (us)\n   GPU 0 1\n 0 1.0 2.0\n 1 2.0 1.0\n",
      "Unidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n   D\\D 0 1\n 0 900 50\n 1 50 900\n",
      "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n 0 1\n 0 N/A 50\n 1 50 N/A\n",
      "GPU 0 -> GPU 1: Bandwidth = 158.52 GB/s\n",
      "-[0000:00]-+-01.1-[01]----00.0  NVIDIA Corporation GA102\n           \\-01.2-[02]----00.0  NVIDIA Corporation "
      "GA102\n",
      "<system><cpu><pci busid=\"0000:10:00.0\" class=\"0x030200\" vendor=\"0x1002\"/><pci busid=\"0000:11:00.0\" "
      "class=\"0x030200\" vendor=\"0x10de\"/></cpu></system>"};
  for (const std::string& first : texts) {
    for (const std::string& second : texts) {
      for (const bool first_named : {true, false}) {
        const std::string plain = joined_text("Qx", first, second, first_named);
        for (const std::string name : {"nvidia-smi.txt", "hip.txt", "amd-smi.json", "rocm-smi.out", "cuda", "nvml.log",
                                       "measured.txt", "preset (nominal)", "b (assumed)", "nccl-xml (constant)"}) {
          CAPTURE(name);
          CAPTURE(first);
          CAPTURE(second);
          CHECK(joined_text(name, first, second, first_named) == plain);
        }
      }
    }
  }
}

TEST_CASE("the vendor of a description is what it says") {
  const auto vendor = [](const std::string& text) {
    return std::string(to_string(vendor_of_machine(read_topology_text("hip", text))));
  };
  CHECK(vendor("\tGPU0\tGPU1\nGPU0\t X \tSYS\nGPU1\tSYS\t X \n") == "NVIDIA");
  CHECK(vendor("0 1\n1 0\n").empty());
  CHECK(vendor("memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n 0 1\n 0 N/A 50\n 1 50 N/A\n") == "NVIDIA");
  const std::string p2p = "Unidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n   D\\D 0 1\n 0 900 50\n 1 50 900\n";
  CHECK(vendor(p2p) == "NVIDIA");
  CHECK(vendor("Device: 0, AMD Instinct MI250X, pciBusID: c1, pciDeviceID: 0, pciDomainID:0\n" + p2p) == "AMD");
  CHECK(vendor_of_machine(read_preset("mi300x")) == GpuVendor::amd);
  CHECK(vendor_of_machine(read_preset("hgx-h100")) == GpuVendor::nvidia);
}
