// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/wire.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace topowise;

TEST_CASE("headers of frames and packets") {
  const TrafficEntry small{Rank(0), Rank(1), Bytes(800), 100};  // messages of 8 bytes: a frame each
  const TrafficEntry whole{Rank(1), Rank(2), Bytes(1448 * 10), 1};
  const WireFormat& tcp = wire_formats()[0];
  CHECK(on_the_wire(small, tcp) == Bytes(800 + 100 * 66));
  CHECK(on_the_wire(whole, tcp) == Bytes(1448 * 10 + 10 * 66));
  CHECK(on_the_wire({Rank(2), Rank(0), Bytes(1449), 1}, tcp) == Bytes(1449 + 2 * 66));
  CHECK(on_the_wire({Rank(2), Rank(1), Bytes(0), 7}, tcp) == Bytes(7 * 66));
  const WireFormat& infiniband = wire_formats()[1];
  CHECK(on_the_wire(whole, infiniband) == Bytes(1448 * 10 + 4 * 30));
  CHECK(on_the_wire(small, infiniband) == Bytes(800 + 100 * 30));
}

TEST_CASE("only what leaves a node is on the wire") {
  TopologyBuilder builder("two nodes");
  const VertexId network = builder.add_vertex({.kind = VertexKind::network_switch, .name = "switch"});
  for (const char* node : {"a", "b"}) {
    const VertexId above =
        builder.add_vertex({.kind = VertexKind::compute_node, .name = node, .node = node, .parent = network});
    builder.add_links({.from = above, .to = network, .kind = LinkKind::network});
    for (int core = 0; core < 2; ++core) {
      const VertexId place =
          builder.add_vertex({.kind = VertexKind::core, .name = std::to_string(core), .node = node, .parent = above});
      builder.add_links({.from = place, .to = above, .kind = LinkKind::host});
      builder.add_place(PlaceKind::core, place);
    }
  }
  const Topology machine = std::move(builder).build();
  const Traffic traffic = Traffic::from_entries(
      4, {{Rank(0), Rank(1), Bytes(500), 5}, {Rank(0), Rank(2), Bytes(100), 1}, {Rank(3), Rank(1), Bytes(200), 2}});
  const Mapping in_order({Place(0), Place(1), Place(2), Place(3)});
  const BetweenNodes sum = between_nodes(traffic, machine, in_order, wire_formats()[0]);
  CHECK(sum.payload == Bytes(300));
  CHECK(sum.wire == Bytes(300 + 3 * 66));
}
