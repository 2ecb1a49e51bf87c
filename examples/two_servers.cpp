// SPDX-License-Identifier: BSD-3-Clause
// topowise as a library: builds a machine in code, maps a job onto it, and prints how long an exchange
// is predicted to take with rank i on GPU i and with that mapping.
//
//   two_servers [FILE]      also writes the machine to FILE, for `topowise map TRAFFIC FILE`
#include <iostream>

#include <topowise/evaluate.hpp>
#include <topowise/map.hpp>

using namespace topowise;

namespace {

/// Copies one server into the machine under a name of its own. Returns the server's PCIe root complex that will have
/// the network card below it.
VertexId add_server(TopologyBuilder& builder, const Topology& server, const std::string& name) {
  std::vector<VertexId> copy;
  VertexId root;
  for (Vertex vertex : server.vertices()) {
    vertex.node = name;
    if (vertex.parent) vertex.parent = copy[vertex.parent->index()];  // parents come first
    copy.push_back(builder.add_vertex(vertex));
    if (vertex.name == "root complex 0") root = copy.back();
  }
  for (Link link : server.links()) {
    link.from = copy[link.from.index()];
    link.to = copy[link.to.index()];
    builder.add_link(link);
  }
  for (const PlaceEntry& place : server.places()) builder.add_place(place.kind, copy[place.vertex.index()]);
  return root;
}

/// Two servers with eight L40S each, a network card of 100 Gb/s in each, and a switch between them.
Topology two_servers() {
  const Topology server = load_topology("preset:l40s-8");
  TopologyBuilder builder("two servers with 8 L40S each, 100 Gb/s between them");
  std::vector<VertexId> cards;
  for (const std::string name : {"server-a", "server-b"}) {
    const VertexId root = add_server(builder, server, name);
    cards.push_back(
        builder.add_vertex({.kind = VertexKind::nic, .name = "nic", .numa = 0, .node = name, .parent = root}));
    builder.add_links(
        {.from = cards.back(), .to = root, .kind = LinkKind::pcie, .bandwidth = gigabytes_per_second(31.5)});
  }
  const VertexId network = builder.add_vertex({.kind = VertexKind::network_switch, .name = "switch"});
  for (const VertexId card : cards) {
    builder.add_links({.from = card,
                       .to = network,
                       .kind = LinkKind::network,
                       .bandwidth = gigabytes_per_second(12.5),
                       .latency = microseconds(1)});
  }
  return std::move(builder).build();
}

void run(int argc, char** argv) {
  const Topology machine = two_servers();
  if (argc > 1) save_topology(argv[1], machine);

  // A halo exchange of 4 x 4 ranks that sends three times as much up and down as to the sides.
  const Traffic traffic = load_traffic("pattern:stencil2d:4x4:bytes=4MB:w=3:heavy=0");
  const MappingResult best = map_ranks(traffic, machine);
  const MappingResult identity = map_ranks(traffic, machine, {.mapper = "identity"});
  const auto predicted = [&](const MappingResult& result) {
    return to_string(evaluate(traffic, machine, result.mapping).predicted_time.value());
  };
  std::cout << machine.name() << ": an exchange takes " << predicted(identity) << " with rank i on GPU i, "
            << predicted(best) << " mapped (predicted)\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const Error& error) {
    for (const Diagnostic& wrong : error.diagnostics()) std::cerr << wrong.render("error") << '\n';
    return static_cast<int>(error.status());
  }
}
