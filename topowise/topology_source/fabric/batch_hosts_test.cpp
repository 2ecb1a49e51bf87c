// SPDX-License-Identifier: BSD-3-Clause
// Networks by the hosts of batch systems: Flux, PBS, Slurm's addresses.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/node/text_formats.hpp>
#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;
using test::classes;

namespace {

/// Nodes a, b, c, d: a and b share the inner level, c the outer one, d none.
constexpr std::string_view kThree = "X NET1 NET3 NET5\nNET1 X NET3 NET5\nNET3 NET3 X NET5\nNET5 NET5 NET5 X\n";
constexpr std::string_view kFlat = "X NET1 NET1 NET1\nNET1 X NET1 NET1\nNET1 NET1 X NET1\nNET1 NET1 NET1 X\n";

std::string vertex(std::string_view type, std::string_view path) {
  return fmt::format(R"({{"id": "7", "metadata": {{"type": "{}", "rank": 0, "paths": {{"containment": "{}"}}}}}})",
                     type, path);
}

std::string graph(std::string_view vertices) {
  return fmt::format(R"({{"graph": {{"nodes": [{}], "edges": [{{"source": "0", "target": "1"}}]}}}})", vertices);
}

/// What is wrong, without its place.
std::string refused(const TopologyFormat& format, std::string_view text) {
  return test::first_error(format, text).what;
}

}  // namespace

TEST_CASE("a graph of Flux: the paths of its nodes") {
  const std::string text = graph(vertex("cluster", "/c") + "," + vertex("node", "/c/g0/r0/a") + "," +
                                 vertex("core", "/c/g0/r0/a/core0") + "," + vertex("node", "/c/g0/r0/b") + "," +
                                 vertex("node", "/c/g0/r1/c") + "," + vertex("node", "/c/g1/r0/d"));
  CHECK(classes(kFluxFormat, text) == kThree);
  CHECK(test::warnings(kFluxFormat, text).empty());
  // R with the same graph for its scheduler
  CHECK(classes(kFluxFormat, fmt::format(R"({{"version": 1, "execution": {{"R_lite": [], "nodelist": ["a,b,c,d"]}},
      "scheduling": {}}})",
                                         text)) == kThree);
  std::string with_down = text;
  with_down.insert(with_down.find(R"("type": "node")"), R"("status": 1, )");
  CHECK(kFluxFormat.read("t", with_down).place_count() == 3);
  CHECK(test::warnings(kFluxFormat, with_down) == "t: 1 node is left out, down: a\n");
  CHECK(refused(kFluxFormat, graph(vertex("node", ""))) == "a node without its path 'containment'");
  CHECK(refused(kFluxFormat, graph(vertex("node", "/c/a") + "," + vertex("node", "/d/a"))) ==
        "node 'a' is listed twice");
  CHECK(refused(kFluxFormat, graph(vertex("core", "/c/a"))).starts_with("no hosts are listed"));
}

TEST_CASE("a resource set of Flux lists hosts, and nothing of the network") {
  const Topology topology = kFluxFormat.read(
      "t",
      R"({"version": 1, "execution": {"R_lite": [{"rank": "0-3", "children": {"core": "0-7"}}], "nodelist": ["n[2-4]", "x"]}})");
  CHECK(topology.place_count() == 4);
  CHECK(topology.vertex_of(Place(0)).name == "n2");
  REQUIRE(topology.warnings().size() == 1);
  CHECK(topology.warnings()[0].find("it says nothing of the network") != std::string::npos);
  CHECK(!refused(kFluxFormat, R"({"execution": {"R_lite": [], "nodelist": ["n[2-"]}})").empty());
  CHECK(refused(kFluxFormat, R"({"execution": {"R_lite": [], "nodelist": ["a,a"]}})") == "node 'a' is listed twice");
}

TEST_CASE("nodes of PBS: tiers, racks and switches") {
  const auto node = [](std::string_view name, std::string_view resources) {
    return fmt::format(R"("{}": {{"Mom": "m", "state": "free", "resources_available": {{"ncpus": 64, {}}}}})", name,
                       resources);
  };
  const auto list = [](const std::string& nodes) {
    return fmt::format(R"({{"timestamp": 1, "pbs_version": "22.05", "pbs_server": "s", "nodes": {{{}}}}})", nodes);
  };
  for (const auto& levels : {std::pair{"tier1", "tier0"}, std::pair{"tier0", "rack"}, std::pair{"rack", "switch"}}) {
    const std::string outer = levels.first;
    const std::string inner = levels.second;
    CAPTURE(outer);
    const auto at = [&](std::string_view name, std::string_view x, std::string_view y) {
      return node(name, fmt::format(R"("{}": "{}", "host": "{}", "{}": "{}")", inner, y, name, outer, x));
    };
    const std::string text =
        list(at("a", "x", "y") + "," + at("b", "x", "y") + "," + at("c", "x", "z") + "," + at("d", "w", "y"));
    CHECK(classes(kPbsFormat, text) == kThree);
  }
  // Virtual nodes of one host are one node; a node with several values has none.
  const std::string flat =
      list(node("a[0]", R"("host": "a")") + "," + node("a[1]", R"("host": "a")") + "," +
           node("b", R"("switch": "s1,s2")") + "," + node("c", R"("host": "c")") + "," + node("d", R"("host": "d")"));
  CHECK(classes(kPbsFormat, flat) == kFlat);
  CHECK(test::warnings(kPbsFormat, flat) ==
        "t: nodes have several values of 'switch': they are left out\n"
        "t: no node has a resource tierN, rack or switch: all are taken to be on one switch\n");
  CHECK(refused(kPbsFormat, list("")) == "no nodes are listed");
  const std::string working = list(node("a", R"("rack": "r")") + "," + node("b", R"("rack": "r")"));
  std::string partly = list(node("a", R"("rack": "r")") + "," + node("b", R"("rack": "r")") + "," +
                            node("c", R"("rack": "r")") + "," + node("d", R"("rack": "q")"));
  for (const auto& [name, state] : {std::pair{"\"c\": {\"Mom\": \"m\", \"state\": \"", "offline,"},
                                    std::pair{"\"d\": {\"Mom\": \"m\", \"state\": \"", "state-unknown,down,"}})
    partly.insert(partly.find(name) + std::string_view(name).size(), state);
  CHECK(classes(kPbsFormat, partly) == classes(kPbsFormat, working));
  CHECK(test::warnings(kPbsFormat, partly) ==
        "t: 1 node is left out, offline: c\nt: 1 node is left out, state-unknown: d\n");
  CHECK(refused(kPbsFormat, R"({"pbs_version": "22", "nodes": {"a": {"state": "Stale"}}})") ==
        "no job gets any of the nodes: they are stale");
  // Nothing says that nodes without a level are near each other.
  const std::string some = list(node("a", R"("rack": "r")") + "," + node("b", R"("rack": "r")") + "," +
                                node("c", R"("host": "c")") + "," + node("d", R"("host": "d")"));
  CHECK(classes(kPbsFormat, some) == "X NET1 NET3 NET3\nNET1 X NET3 NET3\nNET3 NET3 X NET3\nNET3 NET3 NET3 X\n");
  CHECK(test::warnings(kPbsFormat, some) ==
        "t: 2 of 4 nodes have no resource tierN, rack or switch: each is taken to be on a switch of its own\n");
}

TEST_CASE("addresses that Slurm gives its tasks") {
  const std::string pattern = "SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node\n";
  const std::string text = "SLURM_TOPOLOGY_ADDR=x.y.a.site.org\nSLURM_TOPOLOGY_ADDR=x.y.b\n" + pattern +
                           "SLURM_TOPOLOGY_ADDR=x.z.c\n" + pattern +
                           "SLURM_TOPOLOGY_ADDR=w.y.d\nSLURM_TOPOLOGY_ADDR=x.y.b\n";
  CHECK(classes(kSlurmAddressFormat, text) == kThree);
  CHECK(kSlurmAddressFormat.read("t", text).vertex_of(Place(0)).name == "a.site.org");
  CHECK(
      classes(kSlurmAddressFormat,
              "SLURM_TOPOLOGY_ADDR=s.a\nSLURM_TOPOLOGY_ADDR=s.b\nSLURM_TOPOLOGY_ADDR=s.c\nSLURM_TOPOLOGY_ADDR=s.d\n") ==
      kFlat);
  CHECK(refused(kSlurmAddressFormat, pattern + "SLURM_TOPOLOGY_ADDR=x.a\n") ==
        "'x.a' has not the 3 names of the pattern");
  CHECK(refused(kSlurmAddressFormat, pattern) == "no line has the address of a host");
  CHECK(refused(kSlurmAddressFormat,
                "SLURM_TOPOLOGY_ADDR_PATTERN=node\nSLURM_TOPOLOGY_ADDR=a\nSLURM_TOPOLOGY_ADDR=b\n") ==
        "the addresses name hosts without switches, so Slurm does not know the network");
  CHECK(refused(kSlurmAddressFormat, "SLURM_TOPOLOGY_ADDR=n1.cl.local\nSLURM_TOPOLOGY_ADDR=n2.cl.local\n")
            .starts_with("two hosts end with 'local'"));
  CHECK(refused(kSlurmAddressFormat, pattern + "SLURM_TOPOLOGY_ADDR=x.y.a\nSLURM_TOPOLOGY_ADDR=x.z.a\n") ==
        "another address of 'a' than before");
  CHECK(refused(kSlurmAddressFormat, pattern + "SLURM_TOPOLOGY_ADDR_PATTERN=switch.node\n")
            .starts_with("another pattern than"));
}

TEST_CASE("domains of NVLink, as nvidia-smi names them to the task of each host") {
  const auto task = [](int label, std::string_view address, std::string_view cluster, std::string_view clique) {
    std::string text = fmt::format("{0}: SLURM_TOPOLOGY_ADDR={1}\n", label, address);
    for (int gpu = 0; gpu < 4; ++gpu)
      text += fmt::format(
          "{0}:         CliqueId                          : {1}\n{0}:         ClusterUUID                       : "
          "{2}\n",
          label, clique, cluster);
    return text;
  };
  // Hosts a and b are one domain, c is another clique of the same switch, and d is on another switch.
  CHECK(classes(kSlurmAddressFormat, task(0, "s.x.a", "5a3b", "1") + task(1, "s.x.b", "5a3b", "1") +
                                         task(2, "s.x.c", "5a3b", "2") + task(3, "s.y.d", "77", "1")) == kThree);
  // The NVLinks of most nodes do not leave them.
  const std::string none = "00000000-0000-0000-0000-000000000000";
  CHECK(classes(kSlurmAddressFormat, task(0, "s.a", none, "0") + task(1, "s.b", none, "0") +
                                         task(2, "s.c", "N/A", "N/A") + task(3, "s.d", none, "0")) == kFlat);
  const std::string split = task(0, "s.x.a", "5a3b", "1") + task(1, "s.y.b", "5a3b", "1");
  CHECK(test::warnings(kSlurmAddressFormat, split) ==
        "t: the hosts of the domain of NVLink '5a3b.1' are below different switches; it is left out\n");
}
