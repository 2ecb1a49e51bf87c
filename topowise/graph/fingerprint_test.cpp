// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/fingerprint.hpp>

#include <doctest/doctest.h>

#include <set>

using namespace topowise;

namespace {

/// GPUs below switches of `width` each.
Topology machine(const std::string& name, std::size_t gpus, std::size_t width, const std::string& host = {}) {
  TopologyBuilder builder(name);
  const VertexId root = builder.add_vertex({.kind = VertexKind::root_complex, .name = "root", .node = host});
  VertexId above = root;
  for (std::size_t g = 0; g < gpus; ++g) {
    if (g % width == 0) {
      above = builder.add_vertex({.kind = VertexKind::pcie_switch, .name = "switch", .parent = root});
      builder.add_links({.from = above, .to = root, .kind = LinkKind::pcie});
    }
    const VertexId gpu =
        builder.add_vertex({.kind = VertexKind::gpu, .name = name + std::to_string(g), .node = host, .parent = above});
    builder.add_links({.from = gpu, .to = above, .kind = LinkKind::pcie});
    builder.add_place(PlaceKind::gpu, gpu);
  }
  return std::move(builder).build();
}

Traffic traffic(std::vector<TrafficEntry> entries, std::size_t ranks = 4) {
  return Traffic::from_entries(ranks, std::move(entries));
}

}  // namespace

TEST_CASE("a machine is the same under another name, another one is not") {
  CHECK(fingerprint(machine("a", 8, 2)) == fingerprint(machine("b", 8, 2)));
  CHECK(fingerprint(machine("a", 600, 2)) == fingerprint(machine("b", 600, 2)));
  std::set<std::string> all;
  for (const std::size_t gpus : {8, 12, 600}) {
    for (const std::size_t width : {2, 4}) {
      for (const char* host : {"", "n0"}) all.insert(fingerprint(machine("a", gpus, width, host)));
    }
  }
  CHECK(all.size() == 6);  // whether a source states the name of the only host does not count
}

TEST_CASE("the names of several hosts count") {
  const auto pair = [](const char* second) {
    TopologyBuilder builder("pair");
    const VertexId root = builder.add_vertex({.kind = VertexKind::group, .name = "root"});
    for (const char* host : {"n0", second}) {
      const VertexId gpu = builder.add_vertex({.kind = VertexKind::gpu, .name = "GPU0", .node = host, .parent = root});
      builder.add_links({.from = gpu, .to = root, .kind = LinkKind::pcie});
      builder.add_place(PlaceKind::gpu, gpu);
    }
    return fingerprint(std::move(builder).build());
  };
  CHECK(pair("n1") != pair("n2"));
}

TEST_CASE("machines of one shape and different bonds are different") {
  std::set<std::string> all;
  const auto add = [&](int width, double gigabytes, const char* source) {
    TopologyBuilder builder("flat");
    const VertexId middle = builder.add_vertex({.kind = VertexKind::nvswitch, .name = "nvs"});
    for (int g = 0; g < 8; ++g) {
      const VertexId gpu = builder.add_vertex({.kind = VertexKind::gpu, .name = "GPU"});
      builder.add_links({.from = gpu,
                         .to = middle,
                         .kind = LinkKind::nvlink,
                         .width = width,
                         .bandwidth = gigabytes_per_second(gigabytes),
                         .source = source});
      builder.add_place(PlaceKind::gpu, gpu);
    }
    all.insert(fingerprint(std::move(builder).build()));
  };
  add(12, 300, "x (nominal)");
  add(18, 450, "x (nominal)");
  add(18, 900, "y (nominal)");  // NVLink 5
  CHECK(all.size() == 3);
  add(18, 900, "z (nominal)");  // the source of the rate does not count
  CHECK(all.size() == 3);
  add(18, 450, "x (assumed)");
  add(18, 900, "y (assumed)");  // an assumed rate does not count
  CHECK(all.size() == 4);
}

TEST_CASE("traffic is the same with other counts of messages, and other with one other byte") {
  const TrafficEntry edge{Rank(0), Rank(1), Bytes(7), 1};
  const std::string print = fingerprint(traffic({edge}));
  CHECK(print.size() == 16);
  CHECK(fingerprint(traffic({{Rank(0), Rank(1), Bytes(7), 3}, {Rank(2), Rank(3), Bytes(0), 1}})) == print);
  CHECK(fingerprint(traffic({{Rank(0), Rank(1), Bytes(8), 1}})) != print);
  CHECK(fingerprint(traffic({{Rank(1), Rank(0), Bytes(7), 1}})) != print);
  CHECK(fingerprint(traffic({edge}, 5)) != print);
}
