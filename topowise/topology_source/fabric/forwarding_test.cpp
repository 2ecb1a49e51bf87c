// SPDX-License-Identifier: BSD-3-Clause
// ibsim made the fabric of tests/corpus, and OpenSM routed it: 16 hosts, two leaves, two spines. The expected tables
// and routes are those of dump_lfts and ibtracert.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include <tests/corpus.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/source.hpp>

using namespace topowise;

namespace {

std::string file(std::string_view name) {
  return test::corpus_file(name).value();
}
std::string fabric_file() {
  return file("ibnetdiscover/opensm-16-hosts.txt");
}
std::string tables_file() {
  return file("forwarding/opensm-16-hosts.lfts.txt");
}

std::string text_of(const std::string& path) {
  return read_file(path, std::size_t{1} << 20);
}

std::string way(const Topology& machine, std::size_t a, std::size_t b) {
  std::string text = machine.vertex_of(Place(a)).name;
  for (const LinkId link : machine.route(Place(a), Place(b))) text += " " + machine.vertex(machine.link(link).to).name;
  return text;
}

/// The slow way to the same routes: follows the text switch by switch.
class Oracle {
 public:
  Oracle() {
    std::string current;
    static const std::regex table(R"(^Unicast lids .* \((\w+)\):)");
    static const std::regex entry(R"(^0x\w+ (\d+) : \(Channel Adapter portguid 0x\w+: '(\w+)'\))");
    static const std::regex device(R"re(^(?:Switch|Ca)\s+\d+ "([^"]+)"\s*# "(\w+)")re");
    static const std::regex cable(R"re(^\[(\d+)\]\S*\s+"([^"]+)"\[)re");
    std::map<std::string, std::string> name_of;
    std::map<std::pair<std::string, int>, std::string> peer;
    std::smatch found;
    for (const std::string_view line : split(fabric_, '\n')) {
      const std::string text(line);
      if (std::regex_search(text, found, device)) name_of[current = found[1]] = found[2];
      if (std::regex_search(text, found, cable)) peer[{current, std::stoi(found[1])}] = found[2];
    }
    for (const auto& [end, id] : peer) next_[name_of[end.first]][end.second] = name_of[id];
    for (const std::string_view line : split(tables_, '\n')) {
      const std::string text(line);
      if (std::regex_search(text, found, table)) current = found[1];
      if (std::regex_search(text, found, entry)) port_[current][found[2]] = std::stoi(found[1]);
    }
  }
  [[nodiscard]] std::string way(const std::string& from, const std::string& to) const {
    std::string text = from;
    std::string at = next_.at(from).at(1);
    for (text += " " + at; at != to; text += " " + at) at = next_.at(at).at(port_.at(at).at(to));
    return text;
  }

 private:
  std::string fabric_ = text_of(fabric_file());
  std::string tables_ = text_of(tables_file());
  std::map<std::string, std::map<int, std::string>> next_;
  std::map<std::string, std::map<std::string, int>> port_;
};

std::string refused(const std::string& argument) {
  try {
    (void)read_topology(argument);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string scratch(const std::string& name, const std::string& text) {
  const std::string path = (std::filesystem::temp_directory_path() / ("topowise-forwarding-" + name)).string();
  std::ofstream(path) << text;
  return path;
}

}  // namespace

TEST_CASE("forwarding tables: every pair takes the way that the tables say") {
  const Topology machine = read_topology(fabric_file() + "+" + tables_file());
  REQUIRE(machine.place_count() == 16);
  const Oracle oracle;
  std::size_t others = 0;
  const Topology shortest = read_topology(fabric_file());
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = 0; b < 16; ++b) {
      if (a == b) continue;
      CHECK(way(machine, a, b) == oracle.way(machine.vertex_of(Place(a)).name, machine.vertex_of(Place(b)).name));
      others += way(machine, a, b) != way(shortest, a, b) ? 1 : 0;
    }
  }
  CHECK(others > 0);  // of several shortest routes, OpenSM took others than topowise does
}

TEST_CASE("forwarding tables: one text, and a saved machine, have the same routes") {
  const Topology machine = read_topology(fabric_file() + "+" + tables_file());
  const Topology joined = read_topology_text("t", text_of(fabric_file()) + text_of(tables_file()));
  const Topology again = read_topology_text("t", to_json(machine));
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = 0; b < 16; ++b) {
      CHECK(way(joined, a, b) == way(machine, a, b));
      CHECK(way(again, a, b) == way(machine, a, b));
    }
  }
}

TEST_CASE("forwarding tables: a cluster of nodes takes the same ways between its hosts") {
  const std::string fabric = fabric_file() + "+" + tables_file();
  const Topology cluster = read_topology("cluster:" + fabric + ",preset:dgx-a100");
  const Topology again = read_topology_text("t", to_json(cluster));
  const Topology shortest = read_topology("cluster:" + fabric_file() + ",preset:dgx-a100");
  CHECK(std::ranges::none_of(cluster.warnings(),
                             [](const std::string& each) { return each.find("forwarding") != std::string::npos; }));
  const Oracle oracle;
  const auto switches = [](const Topology& machine, Place a, Place b) {
    std::string text = node_name(machine, machine.place(a).vertex);
    for (const LinkId link : machine.route(a, b)) {
      const Vertex& to = machine.vertex(machine.link(link).to);
      if (to.kind == VertexKind::network_switch) text += " " + to.name;
    }
    return text + " " + node_name(machine, machine.place(b).vertex);
  };
  REQUIRE(cluster.place_count() == 16 * 8);
  std::size_t others = 0;
  for (std::size_t a = 0; a < cluster.place_count(); a += 3) {
    for (std::size_t b = 0; b < cluster.place_count(); ++b) {
      if (a / 8 == b / 8) continue;
      const std::string from = node_name(cluster, cluster.place(Place(a)).vertex);
      const std::string to = node_name(cluster, cluster.place(Place(b)).vertex);
      CHECK(switches(cluster, Place(a), Place(b)) == oracle.way(from, to));
      CHECK(again.route(Place(a), Place(b)) == cluster.route(Place(a), Place(b)));
      CHECK(cluster.distance(Place(a), Place(b)) == shortest.distance(Place(a), Place(b)));
      others += switches(cluster, Place(a), Place(b)) != switches(shortest, Place(a), Place(b)) ? 1 : 0;
    }
  }
  CHECK(others > 0);
}

TEST_CASE("routes of ibtracert are those of the tables; other pairs take a shortest way") {
  const Topology tables = read_topology(fabric_file() + "+" + tables_file());
  const Topology routes = read_topology(fabric_file() + "+" + file("forwarding/opensm-16-hosts.ibtracert.txt"));
  for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 1}, {0, 15}, {1, 15}, {15, 0}, {1, 0}})
    CHECK(way(routes, a, b) == way(tables, a, b));
  const Topology shortest = read_topology(fabric_file());
  CHECK(routes.route(Place(2), Place(12)).size() == shortest.route(Place(2), Place(12)).size());
}

TEST_CASE("forwarding tables that do not fit") {
  CHECK(refused(tables_file()).find("the forwarding tables or routes of a fabric") != std::string::npos);
  CHECK(refused(file("ibnetdiscover/ibsim-2switch-4hca.net") + "+" + tables_file()).find("are not of this fabric") !=
        std::string::npos);
  CHECK(refused("tree:2:2+" + tables_file()) != "accepted");
  // spine0 sends messages for host8 back to leaf0, where they came from.
  std::string circle = text_of(tables_file());
  const std::size_t table = circle.find("(spine0):");
  const std::size_t entry = circle.find("'host8'", table);
  const std::size_t line = circle.rfind('\n', entry) + 1;
  circle.replace(line + 7, 3, "001");
  CHECK(refused(fabric_file() + "+" + scratch("circle", circle)).find("in a circle") != std::string::npos);
  // A table of a switch that is not in the fabric gives a warning.
  std::string foreign = text_of(tables_file());
  foreign.replace(foreign.find("guid 0x0000000000200001"), 23, "guid 0x0000000000999999");
  const Topology partly = read_topology(fabric_file() + "+" + scratch("foreign", foreign));
  CHECK(std::string(partly.warnings().back()).find("1 switch of the forwarding tables is not in the fabric") !=
        std::string::npos);
}

TEST_CASE("metric hops: switches between nodes, less than one inside, in the order of the levels") {
  const Topology fabric = read_topology(fabric_file());
  CHECK(fabric.pair_cost(Metric::hops, Place(0), Place(0)) == 0);
  CHECK(fabric.pair_cost(Metric::hops, Place(0), Place(1)) == 1);
  CHECK(fabric.pair_cost(Metric::hops, Place(0), Place(15)) == 3);
  const Topology node = read_topology("preset:helios-k80");
  for (std::size_t a = 0; a < node.place_count(); ++a) {
    for (std::size_t b = 0; b < node.place_count(); ++b) {
      if (a == b) continue;
      CHECK(node.pair_cost(Metric::hops, Place(a), Place(b)) < 1);
      CHECK((node.pair_cost(Metric::hops, Place(a), Place(b)) < node.pair_cost(Metric::hops, Place(0), Place(1))) ==
            (node.level(Place(a), Place(b)) < node.level(Place(0), Place(1))));
    }
  }
}
