// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/node/text_formats.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/read_fixture.hpp>

using namespace topowise;
using test::classes;

namespace {

std::string instance(std::string_view id, std::string_view layers, std::string_view labels = "") {
  return fmt::format(R"({{"id":"{}","network_layers":[{}],"labels":{{{}}}}})", id, layers, labels);
}

std::string answer(const std::vector<std::string>& instances) {
  return fmt::format(R"({{"instances":[{}]}})", fmt::join(instances, ","));
}

std::string device(std::string_view id, std::string_view name, int tier) {
  return fmt::format(R"({{"auto_tier": true, "id": "{}", "layout": {{"tier": {{"x": 1}}}}, "name": "{}", "tier": {}}})",
                     id, name, tier);
}

/// A link with these cables, "swp1 eth0" each; without cables it has a size only.
std::string link(std::string_view a, std::string_view b, const std::vector<std::string>& cables, int size = 0) {
  std::vector<std::string> listed;
  for (const std::string& cable : cables) {
    const std::size_t blank = cable.find(' ');
    listed.push_back(fmt::format(
        R"({{"id": "x", "interfaces": [{{"interface": "{}", "node": "{}"}}, {{"interface": "{}", "node": "{}"}}]}})",
        cable.substr(0, blank), a, cable.substr(blank + 1), b));
  }
  return fmt::format(
      R"({{"compounded_links": [{}], "id": "{}-*-{}", "interfaces": [{{"node": "{}"}}, {{"node": "{}"}}], "size": {}}})",
      fmt::join(listed, ","), a, b, a, b, size);
}

std::string netq(const std::vector<std::string>& links, const std::vector<std::string>& devices) {
  return fmt::format(
      R"([{{"links": [{}], "nodes": [{{"compounded_nodes": [{}], "id": "tier-1", "name": "tier-1", "tier": 1}}]}}])",
      fmt::join(links, ","), fmt::join(devices, ","));
}

/// Hosts h1, h2 on leaf l1, h3 on l2, both below s; h1 and h2 with two cables each.
std::string three_hosts() {
  return netq(
      {link("n9", "n1", {"swp1 ens4f0np0", "swp2 ens1f1np3"}), link("n2", "n9", {"ens4f0np0 swp3", "eth1 swp4"}),
       link("n8", "n3", {}, 1), link("n7", "n9", {"swp1 swp9"}), link("n8", "n7", {"swp9 swp2"})},
      {device("n9", "l1", 1), device("n8", "l2", 1), device("n7", "s", 2), device("n1", "h1", -1),
       device("n2", "h2", -1), device("n3", "h3", -1)});
}

std::string refused(std::string_view text) {
  return test::first_error(kTopographFormat, text).what;
}

}  // namespace

TEST_CASE("topograph's engine graph: the switches of an instance, the nearest first") {
  const std::string text = answer({instance("a", R"("l1","s1","c")"), instance("b", R"("l1","s1","c")"),
                                   instance("c", R"("l2","s1","c")"), instance("d", R"("l1","s2","c")")});
  CHECK(classes(kTopographFormat, text) == "X NET1 NET3 NET5\nNET1 X NET3 NET5\nNET3 NET3 X NET5\nNET5 NET5 NET5 X\n");
  CHECK(test::warnings(kTopographFormat, text).empty());
  CHECK(read_topology_text("t", text).place_count() == 4);
}

TEST_CASE("an instance has the name of its host if a label says it, and its domain of NVLink lies inside of a switch") {
  const std::string_view domain = R"("accelerator.topograph.run/domain":"nvl-1")";
  const std::string text =
      answer({instance("i-1", R"("l")", fmt::format(R"({},"kubernetes.io/hostname":"n1")", domain)),
              instance("i-2", R"("l")", domain), instance("i-3", R"("l")")});
  const Topology machine = kTopographFormat.read("t", text);
  CHECK(machine.vertex_of(Place(0)).node == "n1");
  CHECK(machine.vertex_of(Place(1)).node == "i-2");
  CHECK(classes(kTopographFormat, text) == "X NET1 NET2\nNET1 X NET2\nNET2 NET2 X\n");
}

TEST_CASE("instances that topograph did not locate are left out; what is none is refused") {
  CHECK(test::warnings(kTopographFormat, answer({instance("a", R"("s")"), instance("b", "")})) ==
        "t: 1 node is left out, of no switch and no domain: b\n");
  CHECK(refused(answer({})) == "no nodes are listed");
  CHECK(refused(answer({instance("", R"("s")")})) == "an instance without its id");
  CHECK(refused(answer({instance("a", R"("s")"), instance("a", R"("s")")})) == "node 'a' is listed twice");
}

TEST_CASE("the network of NetQ: hosts with the names of their adapters, switches of any tier") {
  const std::string text = three_hosts();
  CHECK(classes(kTopographFormat, text) == "X NET1 NET3\nNET1 X NET3\nNET3 NET3 X\n");
  CHECK(test::warnings(kTopographFormat, text).empty());
  const Topology machine = read_topology_text("t", text);
  CHECK(machine.vertex_of(Place(2)).node == "h3");
  std::vector<std::string> adapters;
  for (const auto& [id, names] : machine.adapters()) adapters.insert(adapters.end(), names.begin(), names.end());
  std::ranges::sort(adapters);
  CHECK(adapters == std::vector<std::string>{"ens1f1np3", "ens4f0np0", "ens4f0np0", "eth1"});
  // The other way round, as an object, and each link twice, the network is the same.
  const std::string inside = text.substr(1, text.size() - 2);
  CHECK(classes(kTopographFormat, inside) == classes(kTopographFormat, text));
}

TEST_CASE("a host of NetQ on two leaf switches has a cable to each") {
  const std::string text =
      netq({link("a", "l1", {"eth0 swp1"}), link("a", "l2", {"eth1 swp1"}), link("b", "l2", {"eth0 swp2"})},
           {device("a", "h1", -1), device("b", "h2", -1), device("l1", "rail1", 0), device("l2", "rail2", 0)});
  const Topology machine = kTopographFormat.read("t", text);
  CHECK(machine.links_from(machine.place(Place(0)).vertex).size() == 2);
  CHECK(classes(kTopographFormat, text) == "X NET1\nNET1 X\n");
}

TEST_CASE("what NetQ leaves open is said, and what is no network is refused") {
  const std::vector<std::string> devices{device("a", "h1", -1), device("b", "h2", -1), device("l", "leaf", 1)};
  const std::vector<std::string> links{link("a", "l", {"eth0 swp1"}), link("b", "l", {"eth0 swp2"})};
  std::vector<std::string> more = links;
  more.push_back(link("l", "gone", {"swp9 swp1"}));
  CHECK(test::warnings(kTopographFormat, netq(more, devices)) ==
        "t: 1 cable is left out: an end is not among the nodes\n");
  std::vector<std::string> lonely = devices;
  lonely.push_back(device("c", "h3", -1));
  CHECK(test::warnings(kTopographFormat, netq(links, lonely)) == "t: 1 host is left out: no cable is listed\n");
  CHECK(refused(netq(links, {})) == "no nodes are listed");
  CHECK(refused(netq({link("a", "", {})}, devices)) == "a link without its two ends");
  CHECK(refused(netq(links, {device("a", "h1", -1), device("a", "h2", -1)})) == "node 'a' is listed twice");
  CHECK(refused(netq({link("a", "l", {}, 99999)}, devices)) == "a link of 99999 cables");
  const std::string one = netq(links, devices);
  CHECK(refused(fmt::format("[{}, {}]", one.substr(1, one.size() - 2), one.substr(1, one.size() - 2))) ==
        "several networks: only one can be read");
}

TEST_CASE("domains of NVLink alone, as NetQ lists them") {
  const std::string text = R"([{"DomainUUID": "u1", "GpuIDList": ["x"], "LocationInfo": {"SlotID": 5}, "Name": "n1"},
      {"DomainUUID": "u1", "Name": "n2"}, {"DomainUUID": "u2", "Name": "n3"}])";
  CHECK(classes(kTopographFormat, text) == "X NET1 NET3\nNET1 X NET3\nNET3 NET3 X\n");
  CHECK(read_topology_text("t", text).place_count() == 3);
  CHECK(refused(R"([{"DomainUUID": "u1", "Name": ""}])") == "a node without its Name");
}

TEST_CASE("damaged answers are refused or lose only what is cut off") {
  for (const std::string& whole : {three_hosts(), answer({instance("a", R"("l","s")"), instance("b", R"("l","s")")})}) {
    for (std::size_t length = 0; length < whole.size(); length += 5)
      CHECK(refused(whole.substr(0, length)) != "accepted");
  }
}
