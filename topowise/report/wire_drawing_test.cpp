// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/wire_drawing.hpp>

#include <doctest/doctest.h>

#include <tests/fixtures/machines.hpp>
#include <tests/fixtures/occurrences.hpp>

using namespace topowise;
using namespace topowise::fixtures;

namespace {

/// Two switches with two GPUs each, joined at a root; a direct NVLink; an unused adapter.
Topology machine() {
  TopologyBuilder builder("K\u00f6ln");
  const auto add = [&](VertexKind kind, std::string name) {
    Vertex vertex;
    vertex.kind = kind;
    vertex.name = std::move(name);
    return builder.add_vertex(std::move(vertex));
  };
  const auto wire = [&](VertexId from, VertexId to, LinkKind kind, double rate) {
    Link link{.from = from, .to = to, .kind = kind};
    link.bandwidth = BytesPerSecond(rate);
    builder.add_links(link);
  };
  const VertexId root = add(VertexKind::root_complex, "root");
  std::vector<VertexId> gpus;
  for (int s = 0; s < 2; ++s) {
    const VertexId joint = add(VertexKind::pcie_switch, "switch " + std::to_string(s));
    builder.set_parent(joint, root);
    wire(joint, root, LinkKind::pcie, 10);
    for (int g = 0; g < 2; ++g) {
      gpus.push_back(add(VertexKind::gpu, "GPU" + std::to_string(2 * s + g)));
      builder.set_parent(gpus.back(), joint);
      builder.add_place(PlaceKind::gpu, gpus.back());
      wire(gpus.back(), joint, LinkKind::pcie, 10);
    }
  }
  wire(gpus[0], gpus[1], LinkKind::nvlink, 40);
  const VertexId adapter = add(VertexKind::nic, "mlx5_0");
  builder.set_parent(adapter, root);
  wire(adapter, root, LinkKind::pcie, 10);
  return std::move(builder).build();
}

/// The load vector with `bytes` on the link between these two vertices.
std::vector<Bytes> load_on(const Topology& topology, std::string_view from, std::string_view to, double bytes) {
  std::vector<Bytes> load(topology.links().size());
  for (std::size_t l = 0; l < load.size(); ++l) {
    const Link& link = topology.links()[l];
    if (topology.vertex(link.from).name == from && topology.vertex(link.to).name == to) load[l] = Bytes(bytes);
  }
  return load;
}

const Mapping kInOrder({Place(0), Place(1), Place(2), Place(3)});

}  // namespace

TEST_CASE("shares are times on one scale, before and after") {
  const Topology topology = machine();
  const LinkShares shares =
      link_shares(topology, load_on(topology, "switch 0", "root", 100), load_on(topology, "GPU0", "GPU1", 100));
  REQUIRE(shares.known());
  CHECK(shares.in_time);
  const std::vector<WireShare> wires = fullest(wire_shares(topology, shares), shares, 3);
  REQUIRE(wires.size() == 2);
  CHECK(shares.before[wires[0].fuller_before] == 1.0);
  CHECK(shares.after[wires[1].fuller_after] == 0.25);  // the same bytes on a wire that is four times as fast
  CHECK(link_name(topology, topology.links()[wires[0].fuller_before]) == "switch 0 to root");
  CHECK_FALSE(link_shares(topology, {}, {}).known());
}

TEST_CASE("a wire is listed once, with its fuller direction and the bytes of both") {
  const Topology topology = machine();
  std::vector<Bytes> before = load_on(topology, "switch 0", "root", 100);
  for (std::size_t l = 0; l < before.size(); ++l) before[l] += load_on(topology, "root", "switch 0", 60)[l];
  const LinkShares shares = link_shares(topology, before, load_on(topology, "root", "switch 0", 20));
  const std::vector<WireShare> all = wire_shares(topology, shares);
  CHECK(2 * all.size() == topology.links().size());
  const std::vector<WireShare> wires = fullest(all, shares, 3);
  REQUIRE(wires.size() == 1);
  CHECK(wire_name(topology, wires[0]) == "switch 0 \u2013 root");
  CHECK(wires[0].bytes_before == Bytes(160));
  CHECK(wires[0].bytes_after == Bytes(20));
  CHECK(shares.before[wires[0].fuller_before] == 1.0);
  CHECK(shares.after[wires[0].fuller_after] == 0.2);
}

TEST_CASE("a line for every wire, boxes by name, an idle adapter left out") {
  const Topology topology = machine();
  const LinkShares shares =
      link_shares(topology, load_on(topology, "switch 0", "root", 100), load_on(topology, "GPU0", "GPU1", 100));
  const std::vector<PlaceGroup> groups = place_groups(topology);
  REQUIRE(groups.size() == 2);
  CHECK(groups[1].name == "switch 1");
  const WireGraph graph = group_wires(topology, {"all", {Place(0), Place(1), Place(2), Place(3)}}, shares);
  CHECK(graph.boxes.size() == 7);
  CHECK(graph.wires.size() == 7);
  CHECK(graph.left_out);
  REQUIRE(can_draw(graph));
  const std::string drawing = wire_drawing(topology, graph, kInOrder, shares.before, "K\u00f6ln", "before");
  CHECK(count(drawing, "<path class=\"before\"") == 1);
  CHECK(count(drawing, "<path class=\"idle\"") == 1);
  CHECK(count(drawing, "L") >= 5);  // the tree's idle lines, and the idle NVLink as an arc
  CHECK(count(drawing, "<title>switch 0 to root (pcie): 100 %</title>") == 1);
  CHECK(count(drawing, "stroke-width=\"8\"") == 1);
  CHECK(count(drawing, "mlx5_0") == 0);
  CHECK(count(drawing, "aria-label=\"K\u00f6ln: wires and ranks; the fullest wire, between") == 1);
  for (int rank = 0; rank < 4; ++rank) CHECK(count(drawing, ">rank " + std::to_string(rank) + "<") == 1);
}

TEST_CASE("on its side the same is drawn, narrow and tall") {
  const Topology topology = machine();
  const LinkShares shares =
      link_shares(topology, load_on(topology, "switch 0", "root", 100), load_on(topology, "GPU0", "GPU1", 100));
  const WireGraph graph = group_wires(topology, {"all", {Place(0), Place(1), Place(2), Place(3)}}, shares);
  CHECK(fits_narrow_window(graph));
  const std::string row = wire_drawing(topology, graph, kInOrder, shares.before, "M", "before");
  const std::string column = wire_drawing(topology, graph, kInOrder, shares.before, "M", "before", DrawingForm::narrow);
  for (const char* part : {"<path", "<rect", "<text", ">GPU3</text>", "<title>switch 0 to root (pcie): 100 %</title>"})
    CHECK(count(column, part) == count(row, part));
  WireGraph wide = graph;
  wide.boxes.resize(wide.boxes.size() + 8);
  CHECK_FALSE(fits_narrow_window(wide));
}

TEST_CASE("names in narrow boxes are broken into lines, never shortened") {
  const Topology topology = machine();
  const LinkShares shares = link_shares(topology, load_on(topology, "GPU0", "GPU1", 1), {});
  WireGraph graph{.boxes = {{"GPU0", {Place(0)}, 0}}};
  for (std::size_t i = 1; i <= kMostBoxesInARow; ++i) {
    graph.boxes.push_back({"PCIe switch " + std::to_string(i + 100), {}, 1});
    graph.wires.push_back({0, i, LinkKind::pcie, {}});
  }
  graph.boxes.push_back({"gpu-node-017.cluster", {Place(1)}, 0});
  for (const DrawingForm form : {DrawingForm::wide, DrawingForm::narrow}) {
    const std::string drawing = wire_drawing(topology, graph, kInOrder, shares.before, "M", "before", form);
    CHECK(count(drawing, "\u2026") == 0);
    CHECK(count(drawing, ">PCIe") >= static_cast<int>(kMostBoxesInARow));
    CHECK(count(drawing, "136</text>") == 1);
    CHECK(count(drawing, ">gpu-node-</text>") == 1);
    CHECK(count(drawing, ">cluster</text>") == 1);
  }
}

TEST_CASE("an adapter that carries bytes is drawn; what is too wide is not") {
  const Topology topology = machine();
  const LinkShares shares =
      link_shares(topology, load_on(topology, "root", "mlx5_0", 9), load_on(topology, "root", "mlx5_0", 9));
  const WireGraph graph = group_wires(topology, {"all", {Place(0), Place(1), Place(2), Place(3)}}, shares);
  CHECK_FALSE(graph.left_out);
  CHECK(count(wire_drawing(topology, graph, kInOrder, shares.after, "all", "after"), ">mlx5_0</text>") == 1);
  WireGraph wide = graph;
  wide.boxes.resize(wide.boxes.size() + kMostBoxesInARow);
  CHECK_FALSE(can_draw(wide));
}

TEST_CASE("more nodes than a row holds: those on the same switch are one box") {
  TopologyBuilder builder("cluster");
  const VertexId top = builder.add_vertex({.kind = VertexKind::network_switch, .name = "top"});
  std::vector<VertexId> leaves;
  std::vector<Place> in_order;
  for (int node = 0; node < 40; ++node) {
    if (node % 10 == 0) {
      const std::string name = "leaf" + std::to_string(node / 10);
      leaves.push_back(builder.add_vertex({.kind = VertexKind::network_switch, .name = name}));
      builder.add_links({.from = leaves.back(), .to = top, .kind = LinkKind::network, .bandwidth = BytesPerSecond(10)});
    }
    const VertexId gpu =
        builder.add_vertex({.kind = VertexKind::gpu, .name = "GPU0", .node = "n" + std::to_string(node)});
    builder.add_links({.from = gpu, .to = leaves.back(), .kind = LinkKind::network, .bandwidth = BytesPerSecond(10)});
    in_order.push_back(builder.add_place(PlaceKind::gpu, gpu));
  }
  const Topology topology = std::move(builder).build();
  const LinkShares shares =
      link_shares(topology, load_on(topology, "leaf3", "top", 9), load_on(topology, "leaf3", "top", 0));
  const std::vector<PlaceGroup> groups = place_groups(topology);
  REQUIRE(groups.size() == 40);
  CHECK_FALSE(can_draw(network_wires(topology, groups, shares)));
  const WireGraph graph = leaf_wires(topology, groups, shares);
  REQUIRE(can_draw(graph));
  CHECK(graph.boxes.size() == 9);
  CHECK(graph.boxes[3].name == "n30\u2013n39");
  CHECK(graph.boxes[3].places.size() == 10);
  CHECK(graph.wires.size() == 8);
  const std::string drawing = wire_drawing(topology, graph, Mapping(in_order), shares.before, "Network", "before");
  CHECK(count(drawing, "<title>leaf3 to top (network): 100 %</title>") == 1);
  CHECK(count(drawing, ">30\u201339<") == 1);
}
