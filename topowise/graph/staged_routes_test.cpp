// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/staged_routes.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/graph/json.hpp>
#include <topowise/graph/topology.hpp>

using namespace topowise;

namespace {

/// Two sockets, each with a host bridge and a switch of two GPUs; NVLink joins GPU0 and GPU2.
TopologyBuilder two_sockets() {
  TopologyBuilder builder("node");
  std::vector<VertexId> sockets;
  std::vector<VertexId> gpus;
  for (int s = 0; s < 2; ++s) {
    const VertexId socket = builder.add_vertex({.kind = VertexKind::package, .name = "s" + std::to_string(s)});
    const VertexId bridge =
        builder.add_vertex({.kind = VertexKind::root_complex, .name = "r" + std::to_string(s), .parent = socket});
    const VertexId below =
        builder.add_vertex({.kind = VertexKind::pcie_switch, .name = "p" + std::to_string(s), .parent = bridge});
    builder.add_links({.from = bridge, .to = socket, .kind = LinkKind::host});
    builder.add_links({.from = below, .to = bridge, .kind = LinkKind::pcie});
    for (int g = 0; g < 2; ++g) {
      const std::string name = "GPU" + std::to_string(gpus.size());
      gpus.push_back(builder.add_vertex({.kind = VertexKind::gpu, .name = name, .parent = below}));
      builder.add_links({.from = gpus.back(), .to = below, .kind = LinkKind::pcie});
      builder.add_place(PlaceKind::gpu, gpus.back());
    }
    sockets.push_back(socket);
  }
  builder.add_links({.from = sockets[0], .to = sockets[1], .kind = LinkKind::inter_socket});
  builder.add_links({.from = gpus[0], .to = gpus[2], .kind = LinkKind::nvlink, .width = 4});
  return builder;
}

std::string way(const Topology& machine, std::size_t a, std::size_t b) {
  std::string names = machine.vertex_of(Place(a)).name;
  for (const LinkId id : machine.route(Place(a), Place(b))) names += " " + machine.vertex(machine.link(id).to).name;
  return names;
}

}  // namespace

TEST_CASE("GPUs without peer access meet at the host, past the switch and NVLink") {
  const Topology with_access = two_sockets().build();
  CHECK(way(with_access, 0, 1) == "GPU0 p0 GPU1");
  CHECK(to_string(with_access.path_class(Place(0), Place(2))) == "NV4");

  TopologyBuilder builder = two_sockets();
  builder.set_class(Place(0), Place(1), {PathKind::pix});
  builder.set_class(Place(0), Place(2), {PathKind::nvlink, 4});
  builder.set_class(Place(1), Place(3), {PathKind::sys});
  builder.refuse_peer_access(Place(1), Place(0));
  builder.refuse_peer_access(Place(0), Place(2));
  builder.refuse_peer_access(Place(1), Place(3));
  const Topology machine = std::move(builder).build();
  CHECK(way(machine, 0, 1) == "GPU0 p0 r0 p0 GPU1");
  CHECK(way(machine, 1, 0) == "GPU1 p0 r0 p0 GPU0");
  CHECK(to_string(machine.path_class(Place(0), Place(1))) == "PHB");
  CHECK(way(machine, 2, 0) == "GPU2 p1 r1 s1 s0 r0 p0 GPU0");
  CHECK(to_string(machine.path_class(Place(0), Place(2))) == "SYS");
  CHECK(way(machine, 3, 1) == "GPU3 p1 r1 s1 s0 r0 p0 GPU1");
  CHECK(way(machine, 2, 3) == "GPU2 p1 GPU3");
  CHECK(to_string(machine.path_class(Place(2), Place(3))) == "PIX");
  CHECK(machine.distance(Place(0), Place(1)) > machine.distance(Place(2), Place(3)));
  CHECK(machine.distance(Place(0), Place(2)) == machine.distance(Place(1), Place(2)));
  CHECK(machine.pair_cost(Metric::hops, Place(0), Place(1)) > machine.pair_cost(Metric::hops, Place(2), Place(3)));

  const Topology saved = topology_from_json("saved", to_json(machine));
  CHECK(saved.without_peer_access() == machine.without_peer_access());
  CHECK(way(saved, 0, 2) == way(machine, 0, 2));
  const Topology copied = TopologyBuilder(machine).build();
  CHECK(way(copied, 0, 1) == way(machine, 0, 1));
}

TEST_CASE("where no host is described, a pair without peer access keeps its route and class") {
  TopologyBuilder builder("bond");
  for (int g = 0; g < 2; ++g)
    builder.add_place(PlaceKind::gpu, builder.add_vertex({.kind = VertexKind::gpu, .name = "GPU" + std::to_string(g)}));
  builder.add_links({.from = VertexId(0), .to = VertexId(1), .kind = LinkKind::abstract});
  builder.refuse_peer_access(Place(0), Place(1));
  const Topology machine = std::move(builder).build();
  CHECK(way(machine, 0, 1) == "GPU0 GPU1");
  CHECK(machine.levels().size() == 1);
}
