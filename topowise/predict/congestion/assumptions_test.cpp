// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/congestion/assumptions.hpp>

#include <doctest/doctest.h>

#include <topowise/graph/json.hpp>

using namespace topowise;

namespace {

using Words = std::vector<std::string>;

Topology chain_of(std::vector<Link> links) {
  TopologyBuilder builder("chain");
  for (std::size_t v = 0; v <= links.size(); ++v)
    builder.add_place(PlaceKind::node,
                      builder.add_vertex({.kind = VertexKind::compute_node, .name = "v" + std::to_string(v)}));
  for (std::size_t link = 0; link < links.size(); ++link) {
    links[link].from = VertexId(link);
    links[link].to = VertexId(link + 1);
    builder.add_links(links[link]);
  }
  builder.assume("SYS between two boards");
  builder.assume("SYS between two boards");
  return std::move(builder).build();
}

PairsOfPlaces pair(std::size_t from, std::size_t to) {
  return {{Place(from), Place(to)}};
}

}  // namespace

TEST_CASE(
    "assumptions: what a reader assumed, and rates on the routes in question, once each; saved with the machine") {
  const Topology machine = chain_of(
      {{.kind = LinkKind::nvlink, .width = 2, .bandwidth = gigabytes_per_second(50), .source = "nvidia-smi (assumed)"},
       {.kind = LinkKind::nvlink, .width = 4, .bandwidth = gigabytes_per_second(100), .source = "nvidia-smi (assumed)"},
       {.kind = LinkKind::pcie, .bandwidth = gigabytes_per_second(16), .source = "nvidia-smi (nominal)"},
       {.kind = LinkKind::vendor_link, .width = 3, .source = "test"},
       {.kind = LinkKind::network, .source = "test"}});
  const Words no_rate{"SYS between two boards"};
  CHECK(assumptions_of(machine) == no_rate);
  const Words by_reader{"SYS between two boards", "NVLink of 25 GB/s a link"};
  CHECK(assumptions_of(machine, pair(0, 2)) == by_reader);
  CHECK(assumptions_of(topology_from_json("saved", to_json(machine)), pair(0, 2)) == by_reader);
  CHECK(assumptions_of(TopologyBuilder(machine).build(), pair(0, 2)) == by_reader);
  CHECK(assumptions_of(machine, pair(2, 3)) == no_rate);
  CHECK(assumptions_of(machine, pair(3, 5)) == Words{"SYS between two boards",
                                                     "the vendor's own links of 25 GB/s each where no source states it",
                                                     "network links of 12.5 GB/s where no source states it"});
  CHECK(assumptions_of(machine, pair(3, 5), {.link_bandwidth = gigabytes_per_second(9), .tau = {}}) == no_rate);
}

TEST_CASE("assumptions: every kind of link without a rate is named") {
  for (const LinkKind kind : {LinkKind::pcie, LinkKind::host, LinkKind::inter_socket, LinkKind::nvlink, LinkKind::xgmi,
                              LinkKind::c2c, LinkKind::vendor_link, LinkKind::network, LinkKind::abstract}) {
    CAPTURE(to_string(kind));
    const Words found = assumptions_of(chain_of({{.kind = kind, .source = "test"}}), pair(0, 1));
    REQUIRE(found.size() == 2);
    CHECK(found[1].ends_with("where no source states it"));
  }
}

TEST_CASE("assumptions: where only pairs are measured, nothing says which of them share wires") {
  const Topology matrix = topology_from_json("m", R"({"schema": "topowise.topology/1",
      "vertices": [{"id": 0, "kind": "gpu", "name": "a"}, {"id": 1, "kind": "gpu", "name": "b"}],
      "links": [{"from": "a", "to": "b", "kind": "abstract", "bandwidth_bytes_per_s": 5, "source": "measured"},
                {"from": "b", "to": "a", "kind": "abstract", "bandwidth_bytes_per_s": 5, "source": "measured"}],
      "places": [{"kind": "gpu", "vertex": 0}, {"kind": "gpu", "vertex": 1}],
      "stated_classes": {"M1": [[0, 1]]},
      "pair_matrices": {"bandwidth": {"source": "measured", "values": [[0, 5], [5, 0]]}}})");
  CHECK(assumptions_of(matrix).empty());
  CHECK(assumptions_of(matrix, pair(0, 1)) ==
        Words{"no wires that pairs share, of which a measured matrix says nothing"});
}

TEST_CASE("assumptions: pairs that talk, and pairs whose routes stand for all") {
  const Mapping mapping({Place(1), Place(0), Place(1)});
  const Traffic traffic = Traffic::from_entries(
      3, {{Rank(0), Rank(1), Bytes(1)}, {Rank(2), Rank(1), Bytes(1)}, {Rank(0), Rank(2), Bytes(1)}});
  CHECK(pairs_that_talk(traffic, mapping) == pair(1, 0));
  CHECK(pairs_that_talk(one_message_a_pair(traffic), mapping) == pair(1, 0));
  CHECK(pairs_among(std::vector{Place(4), Place(2)}) == PairsOfPlaces{{Place(2), Place(4)}, {Place(4), Place(2)}});
  std::vector<Place> many;
  for (std::size_t p = 0; p < 1000; ++p) many.emplace_back(p);
  CHECK(pairs_among(many).size() < 4 * many.size());
}
