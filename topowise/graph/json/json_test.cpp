// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/value.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

/// Two GPUs on a switch and one elsewhere, with stated classes, matrices, level distances and every optional member.
Topology small_machine() {
  TopologyBuilder builder("a \"machine\"");
  const VertexId root =
      builder.add_vertex({.kind = VertexKind::numa_domain, .name = "NUMA 0", .numa = 0, .congestion = {.tau = 0.125}});
  const VertexId pcie_switch = builder.add_vertex(
      {.kind = VertexKind::pcie_switch, .name = "switch", .pci = PciAddress{0, 3, 0, 0}, .parent = root});
  for (std::uint8_t g = 0; g < 3; ++g) {
    const VertexId above = g < 2 ? pcie_switch : root;
    const VertexId gpu = builder.add_vertex({.kind = VertexKind::gpu,
                                             .name = "GPU" + std::to_string(g),
                                             .pci = PciAddress{1, static_cast<std::uint8_t>(4 + g), 0, 0},
                                             .numa = 0,
                                             .node = "n01",
                                             .uuid = "GPU-" + std::to_string(g),
                                             .cpus = "0-3,8",
                                             .parent = above});
    builder.add_links({.from = gpu,
                       .to = above,
                       .kind = LinkKind::pcie,
                       .bandwidth = BytesPerSecond(15.754e9),
                       .latency = microseconds(0.3),
                       .source = "preset"});
    builder.add_place(PlaceKind::gpu, gpu, 2);
  }
  builder.add_link({.from = VertexId(2), .to = VertexId(4), .kind = LinkKind::nvlink, .width = 4});
  builder.set_class(Place(0), Place(2), {PathKind::nvlink, 4});
  builder.set_level_distances({0.5, 2, 7.25});
  builder.set_pair_matrix(Metric::bandwidth,
                          {{std::numeric_limits<double>::infinity(), 1e9, 0.1, 3, 4, 5, 6, 7, 8}, "p2p"});
  builder.set_congestion({.link_bandwidth = BytesPerSecond(11.5e9), .tau = 0.25});
  builder.warn("half of it is guessed");
  return std::move(builder).build();
}

std::string message_of(auto read, std::string_view text) {
  try {
    read("in.json", text);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front().render("error");
  }
  return "read";
}

}  // namespace

TEST_CASE("a topology survives the way out and in") {
  const Topology before = small_machine();
  const std::string text = to_json(before);
  const Topology after = topology_from_json("in.json", text);
  CHECK(to_json(after) == text);
  CHECK(after.name() == before.name());
  CHECK(after.vertex(VertexId(3)).uuid == "GPU-1");
  CHECK(after.vertex(VertexId(3)).cpus == "0-3,8");
  CHECK(after.vertex(VertexId(3)).parent == VertexId(1));
  CHECK(after.vertex(VertexId(3)).pci->to_string() == "0001:05:00.0");
  CHECK(after.place(Place(1)).capacity == 2);
  CHECK(after.link(LinkId(6)).width == 4);
  CHECK(after.path_class(Place(0), Place(2)) == PathClass{PathKind::nvlink, 4});
  CHECK(after.path_class(Place(0), Place(1)) == PathClass{PathKind::pix, 0});
  CHECK(after.distance(Place(1), Place(2)) == 7.25);
  CHECK(after.bandwidth(Place(0), Place(2)) == BytesPerSecond(0.1));
  CHECK(after.pair_matrix_source(Metric::bandwidth) == "p2p");
  CHECK(after.congestion().link_bandwidth == BytesPerSecond(11.5e9));
  CHECK(after.congestion().tau == 0.25);
  CHECK(after.vertex(VertexId(0)).congestion.tau == 0.125);
  CHECK(after.vertex(VertexId(1)).congestion.empty());
  REQUIRE(after.warnings().size() == 1);
}

TEST_CASE("the keys of a topology are those of docs/cli.md") {
  const std::string text = to_json(small_machine(), "level");
  for (const char* key : {"\"schema\": \"topowise.topology/1\"", "\"name\": \"a \\\"machine\\\"\"", "\"places\": [",
                          "{\"id\": 0, \"kind\": \"gpu\", \"name\": \"GPU0\", \"pci\": \"0001:04:00.0\", \"numa\": 0, "
                          "\"node\": \"n01\", \"capacity\": 2, \"vertex\": 2}",
                          "\"vertices\": [", "\"links\": [", "\"bandwidth_bytes_per_s\": 15754000000",
                          "\"warnings\": [", "[-1, 1, 0]", "[1, -1, 2]"})
    CHECK_MESSAGE(text.find(key) != std::string::npos, key);
  CHECK_THROWS_AS((void)to_json(small_machine(), "levels"), Error);
}

TEST_CASE("a topology may be written by hand: places alone, links by name") {
  const Topology topology = topology_from_json("in.json", R"({"places": [{"kind": "gpu", "name": "a"},
      {"kind": "gpu", "name": "b"}], "pair_matrices": {"distance": {"values": [[0, 3], [3, 0]]}}})");
  CHECK(topology.place_count() == 2);
  CHECK(topology.distance(Place(0), Place(1)) == 3);
  const Topology linked = topology_from_json("in.json", R"({"vertices": [{"kind": "gpu", "name": "a"},
      {"kind": "gpu", "name": "b", "numa": -1}], "places": [{"kind": "gpu", "vertex": "a"}, {"kind": "gpu", "vertex": 1}],
      "links": [{"from": "a", "to": "b", "kind": "nvlink", "width": 2.0}, {"from": 1, "to": 0, "kind": "nvlink", "width": 2}]})");
  CHECK(linked.path_class(Place(0), Place(1)) == PathClass{PathKind::nvlink, 2});
}

TEST_CASE("a uniform hierarchy keeps its arities") {
  TopologyBuilder builder("tree:2:2");
  for (int leaf = 0; leaf < 4; ++leaf) builder.add_place(PlaceKind::slot, builder.add_vertex({.name = "leaf"}));
  builder.set_arities({2, 2});
  builder.set_level_distances({1, 10});
  const Topology after = topology_from_json("in.json", to_json(std::move(builder).build()));
  CHECK(after.distance(Place(0), Place(1)) == 1);
  CHECK(after.distance(Place(0), Place(2)) == 10);
}

TEST_CASE("traffic survives the way out and in") {
  const Traffic before =
      Traffic::from_entries(4, {{Rank(0), Rank(3), Bytes(1e15), 7}, {Rank(2), Rank(2), Bytes(0.5), 0}});
  const Traffic after = traffic_from_json("in.json", to_json(before));
  CHECK(after.ranks() == 4);
  CHECK(std::vector(after.entries().begin(), after.entries().end()) ==
        std::vector(before.entries().begin(), before.entries().end()));
  CHECK(to_json(before).find("\"total_bytes\": 1000000000000000.5") != std::string::npos);
}

TEST_CASE("a mapping survives the way out and in, with its machine if wanted") {
  const Topology machine = small_machine();
  const MappingResult before{Mapping({Place(2), Place(0)}),
                             "exact",
                             "hop-bytes",
                             "distance",
                             176,
                             272,
                             176,
                             true,
                             Seconds(0.25),
                             std::numeric_limits<std::uint64_t>::max()};
  const MappingResult after = mapping_from_json("in.json", to_json(before));
  CHECK(after.mapping == before.mapping);
  CHECK(to_json(after) == to_json(before));
  CHECK(after.seed == before.seed);
  CHECK_FALSE(mapped_topology_from_json("in.json", to_json(before)));
  CHECK(to_json(*mapped_topology_from_json("in.json", to_json(before, machine))) == to_json(machine));
}

TEST_CASE("a mapping by predicted time keeps its hop-bytes, and one by hop-bytes the reason") {
  MappingResult before{.mapping = Mapping({Place(1)}), .objective = "predicted-time", .cost = 2e-6};
  CHECK(to_json(before).find("hop_bytes") == std::string::npos);
  CHECK(to_json(before).find("objective_reason") == std::string::npos);
  before.hop_bytes = HopBytes{.cost = 30, .identity_cost = 40, .lower_bound = 20};
  CHECK(to_json(before).find(R"("hop_bytes": {"cost": 30, "identity_cost": 40, "lower_bound": 20})") !=
        std::string::npos);
  CHECK(mapping_from_json("in.json", to_json(before)).hop_bytes == before.hop_bytes);
  before.objective_reason = "1 of 8 links has no rate";
  CHECK(mapping_from_json("in.json", to_json(before)).objective_reason == before.objective_reason);
}

TEST_CASE("an infinite cost is null and comes back") {
  const MappingResult before{.mapping = Mapping({Place(0)}), .cost = std::numeric_limits<double>::infinity()};
  CHECK(to_json(before).find("\"cost\": null") != std::string::npos);
  CHECK(std::isinf(mapping_from_json("in.json", to_json(before)).cost));
}

TEST_CASE("an exchange survives the way out and in") {
  const Exchange before({{Rank(0), Rank(2), Bytes(3e8), Seconds(0)}, {Rank(1), Rank(0), Bytes(1), Seconds(0.5e-3)}});
  const Exchange after = exchange_from_json("in.json", to_json(before));
  CHECK(std::vector(after.communications().begin(), after.communications().end()) ==
        std::vector(before.communications().begin(), before.communications().end()));
}

TEST_CASE("broken JSON is reported at line and column") {
  CHECK(message_of(traffic_from_json, "{\"ranks\": 4,\n  \"entries\": [}\n") ==
        "error: in.json:2:15: not valid JSON: syntax error while parsing value - unexpected '}'; expected '[', '{', or "
        "a literal\n    2 |   \"entries\": [}\n      |               ^");
  CHECK(message_of(traffic_from_json, "").starts_with("error: in.json:1:1: not valid JSON: "));
  CHECK(message_of(traffic_from_json, "{\"ranks\": 1e999}")
            .starts_with("error: in.json:1:15: not valid JSON: number overflow"));
  CHECK(message_of(traffic_from_json, "{} x").find("not valid JSON") != std::string::npos);
  CHECK(message_of(traffic_from_json, "{\"ranks\": 1, \"ranks\": 2}")
            .find("in.json:1:14: the key 'ranks' occurs twice") != std::string::npos);
  CHECK(message_of(traffic_from_json, std::string(1 << 20, '[')).find("in.json:1:65: nested deeper than 64 levels") !=
        std::string::npos);
}

TEST_CASE("a wrong value is reported with the path of its key") {
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  CHECK(first_line(message_of(traffic_from_json, "{\"entries\": []}")) ==
        "error: in.json:1:1: the key 'ranks' is missing");
  CHECK(first_line(message_of(traffic_from_json,
                              R"({"ranks": 2, "entries": [{"source": 0, "destination": 5, "bytes": 1}]})")) ==
        "error: in.json:1:55: entries[0].destination: rank 5 does not exist, 'ranks' is 2");
  CHECK(first_line(message_of(traffic_from_json,
                              R"({"ranks": 2, "entries": [{"source": 0, "destination": 1, "bytes": -1}]})")) ==
        "error: in.json:1:67: entries[0].bytes: '-1' is below 0");
  CHECK(first_line(message_of(traffic_from_json, R"({"ranks": 18446744073709551615, "entries": []})")) ==
        "error: in.json:1:11: ranks: '18446744073709551615' is too large, at most 16777216 is possible");
  CHECK(first_line(message_of(traffic_from_json, R"({"ranks": 1.5, "entries": []})")) ==
        "error: in.json:1:11: ranks: '1.5' is not a whole number from 0");
  CHECK(first_line(message_of(traffic_from_json, R"({"schema": "topowise.mapping/1"})")) ==
        "error: in.json:1:12: schema: 'topowise.mapping/1' is not 'topowise.traffic/1', which is wanted here");
  CHECK(first_line(message_of(traffic_from_json, "[1]")) == "error: in.json:1:1: expected an object, found a list");
  CHECK(first_line(message_of(topology_from_json, R"({"places": [{"kind": "gpu", "pci": "zz"}]})")) ==
        "error: in.json:1:36: places[0].pci: unknown PCI bus id 'zz'");
  CHECK(first_line(message_of(topology_from_json, R"({"places": [], "vertices": [{"kind": "gpu", "parent": 7}]})")) ==
        "error: in.json:1:55: vertices[0].parent: vertex 7 does not exist, there are 1 vertices");
  CHECK(message_of(topology_from_json, R"({"name": "m", "places": []})").find("in.json:1:1: 'm' has no place") !=
        std::string::npos);
  CHECK(first_line(message_of(mapping_from_json, R"({"ranks": 3, "places": [1, 2]})")) ==
        "error: in.json:1:24: places: 2 places for 3 ranks");
}

TEST_CASE("all wrong elements of a list are reported together") {
  try {
    (void)traffic_from_json("in.json", R"({"ranks": 1, "entries": [{}, {"source": 0}, 3]})");
    FAIL("read");
  } catch (const Error& error) {
    REQUIRE(error.diagnostics().size() == 3);
    CHECK(error.diagnostics()[0].what == "entries[0]: the key 'source' is missing");
    CHECK(error.diagnostics()[1].what == "entries[1]: the key 'destination' is missing");
    CHECK(error.diagnostics()[2].what.starts_with("entries[2]: "));
    CHECK(error.diagnostics()[2].position.column == 45);
  }
}

TEST_CASE("the schema is found in the first bytes, and only of our own texts") {
  CHECK(json_schema(" \n{ \"name\": \"x\", \"schema\" : \"topowise.topology/1\", ") == "topowise.topology/1");
  CHECK(json_schema("\xef\xbb\xbf{\"schema\": \"topowise.traffic/1\"}") == "topowise.traffic/1");
  CHECK(json_schema("{\"schema\": \"other/1\"}").empty());
  CHECK(json_schema("\"schema\": \"topowise.topology/1\"").empty());
  CHECK(json_schema("{\"schema\": \"topowise.topo") == "topowise.topo");
}

TEST_CASE("a document keeps where its values begin, and no more") {
  std::string text = "[";
  for (int i = 0; i < 1000; ++i) text += "1,";
  text += "2]";
  const JsonDocument document = parse_json("t", text);
  CHECK(document.tokens.size() == 1001 + 2);
  const JsonNode list(document);
  REQUIRE(list.size() == 1001);
  CHECK(list.element(1000).whole() == 2);
  CHECK(list.element(3).whole() == 1);  // reads backwards
  const JsonDocument nested =
      parse_json("t", "\xef\xbb\xbf{ \"a\\u0062\" : [ {}, [1.5, -2], \"x\\n\" ], \"ab\\\"\": null, \"c\": true}");
  const JsonNode root(nested);
  CHECK(root.keys() == std::vector<std::string>{"ab", "ab\"", "c"});
  const JsonNode array = root.member("ab");
  CHECK(array.size() == 3);
  CHECK(array.element(0).keys().empty());
  const JsonNode numbers = array.element(1);
  CHECK(numbers.element(1).number() == -2);
  CHECK(numbers.element(0).word() == "1.5");
  CHECK(array.element(2).text() == "x\n");
  CHECK_FALSE(root.find("ab\"").has_value());
  CHECK(root.member("ab\"").is_null());
  CHECK(root.member("c").truth());
  CHECK_FALSE(root.find("a").has_value());
}

TEST_CASE("a topology that no machine can be is refused before it is made") {
  std::string text = R"({"places": [0)";
  for (int i = 0; i < 1 << 21; ++i) text += ",0";
  CHECK(message_of(topology_from_json, text + "]}").find("2097153 places are too many, 2097152 are the most") !=
        std::string::npos);
}
