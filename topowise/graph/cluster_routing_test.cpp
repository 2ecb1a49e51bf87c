// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/cluster_routing.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include <topowise/base/random.hpp>

using namespace topowise;

namespace {

struct Machine {
  std::vector<Vertex> vertices;
  std::vector<Link> links;
  std::vector<VertexId> gpus;

  VertexId add(VertexKind kind, std::optional<VertexId> parent = {}) {
    vertices.push_back({.kind = kind, .parent = parent});
    return VertexId(vertices.size() - 1);
  }
  void join(VertexId a, VertexId b, LinkKind kind) {
    links.push_back({.from = a, .to = b, .kind = kind});
    links.push_back({.from = b, .to = a, .kind = kind});
  }
  VertexId below(VertexKind kind, VertexId above) {
    const VertexId vertex = add(kind, above);
    join(vertex, above, LinkKind::pcie);
    return vertex;
  }
};

/// Switches joined at random; they form at least a tree.
std::vector<VertexId> random_fabric(Machine& machine, Random& random) {
  std::vector<VertexId> switches{machine.add(VertexKind::network_switch)};
  for (std::uint32_t count = 1 + random.below(6); switches.size() <= count;) {
    const VertexId next = machine.add(VertexKind::network_switch);
    machine.join(next, switches[random.below(static_cast<std::uint32_t>(switches.size()))], LinkKind::network);
    switches.push_back(next);
  }
  for (std::uint32_t more = random.below(4); more > 0; --more) {
    const VertexId a = switches[random.below(static_cast<std::uint32_t>(switches.size()))];
    const VertexId b = switches[random.below(static_cast<std::uint32_t>(switches.size()))];
    if (a != b) machine.join(a, b, LinkKind::network);
  }
  return switches;
}

/// Two sockets with PCIe switches, each with GPUs and NICs below; all GPUs on an NVSwitch.
void add_node(Machine& machine, std::uint64_t seed, const std::vector<VertexId>& switches, Random& cabling) {
  Random random(seed);
  const VertexId nvswitch = machine.add(VertexKind::nvswitch);
  std::vector<VertexId> sockets;
  std::size_t nics = 0;
  for (int socket = 0; socket < 2; ++socket) {
    sockets.push_back(machine.add(VertexKind::package));
    const VertexId root = machine.add(VertexKind::root_complex, sockets.back());
    machine.join(root, sockets.back(), LinkKind::host);
    for (std::uint32_t s = 1 + random.below(2); s > 0; --s) {
      const VertexId above = machine.below(VertexKind::pcie_switch, root);
      for (std::uint32_t g = 1 + random.below(2); g > 0; --g) {
        machine.gpus.push_back(machine.below(VertexKind::gpu, above));
        machine.join(machine.gpus.back(), nvswitch, LinkKind::nvlink);
      }
      for (std::uint32_t n = random.below(3); n > 0 || (nics == 0 && socket == 1); n -= n > 0 ? 1 : 0, ++nics) {
        const VertexId nic = machine.below(VertexKind::nic, above);
        machine.join(nic, switches[cabling.below(static_cast<std::uint32_t>(switches.size()))], LinkKind::network);
      }
    }
  }
  machine.join(sockets[0], sockets[1], LinkKind::inter_socket);
}

Machine random_cluster(std::uint64_t seed) {
  Random random(seed);
  Machine machine;
  const std::vector<VertexId> switches = random_fabric(machine, random);
  for (std::uint32_t node = 2 + random.below(4); node > 0; --node)
    add_node(machine, seed + random.below(2), switches, random);  // some nodes are alike
  return machine;
}

/// Hops between two switches, counted as the definition says.
std::size_t hops_between(const Machine& machine, VertexId from, VertexId to) {
  std::set<VertexId> reached{from};
  for (std::size_t hops = 0;; ++hops) {
    if (reached.contains(to)) return hops;
    std::set<VertexId> next = reached;
    for (const Link& link : machine.links) {
      const bool among = machine.vertices[link.from.index()].kind == VertexKind::network_switch &&
                         machine.vertices[link.to.index()].kind == VertexKind::network_switch;
      if (among && reached.contains(link.from)) next.insert(link.to);
    }
    REQUIRE(next.size() > reached.size());
    reached = std::move(next);
  }
}

bool is_network(const Machine& machine, LinkId link) {
  return machine.links[link.index()].kind == LinkKind::network;
}

/// The best class of the routes that lead from the GPU to any adapter inside the node.
PathClass nearest_adapter(const Machine& machine, VertexId gpu) {
  std::vector<Link> inside;
  for (const Link& link : machine.links) {
    if (link.kind != LinkKind::network) inside.push_back(link);
  }
  std::vector<VertexId> ends{gpu};
  for (std::size_t v = 0; v < machine.vertices.size(); ++v) {
    if (machine.vertices[v].kind == VertexKind::nic) ends.emplace_back(v);
  }
  const Routing routing(machine.vertices, inside, ends);
  PathClass best{PathKind::unconnected, 0};
  for (std::size_t e = 1; e < ends.size(); ++e) {
    const std::vector<LinkId> way = routing.route(0, e);
    if (!way.empty()) best = std::min(best, classify(machine.vertices, inside, way));
  }
  return best;
}

}  // namespace

TEST_CASE("routes between nodes: chains, the same back, by the nearest adapter, shortest among switches") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    const Machine machine = random_cluster(seed);
    const std::optional<ClusterRouting> routing = ClusterRouting::find(machine.vertices, machine.links, machine.gpus);
    REQUIRE(routing.has_value());
    const Routing by_search(machine.vertices, machine.links, machine.gpus);
    for (std::size_t a = 0; a < machine.gpus.size(); ++a) {
      const PathClass to_adapter = nearest_adapter(machine, machine.gpus[a]);
      for (std::size_t b = 0; b < machine.gpus.size(); ++b) {
        if (a == b) continue;
        const std::vector<LinkId> way = routing->route(a, b);
        VertexId at = machine.gpus[a];
        for (const LinkId link : way) {
          REQUIRE(machine.links[link.index()].from == at);
          at = machine.links[link.index()].to;
        }
        REQUIRE(at == machine.gpus[b]);
        std::vector<LinkId> back = routing->route(b, a);
        std::ranges::reverse(back);
        REQUIRE(back.size() == way.size());
        for (std::size_t i = 0; i < way.size(); ++i)
          CHECK(machine.links[back[i].index()].to == machine.links[way[i].index()].from);
        const std::optional<int> switches = routing->switches_between(a, b);
        if (!switches) {
          CHECK(way == by_search.route(a, b));
          continue;
        }
        const auto out = std::ranges::find_if(way, [&](LinkId link) { return is_network(machine, link); });
        const auto in = std::find_if(way.rbegin(), way.rend(), [&](LinkId link) { return is_network(machine, link); });
        CHECK(classify(machine.vertices, machine.links, std::span(way.begin(), out)) == to_adapter);
        const VertexId first = machine.links[out->index()].to;
        const VertexId last = machine.links[in->index()].from;
        CHECK(static_cast<std::size_t>(*switches) == hops_between(machine, first, last) + 1);
        CHECK(classify(machine.vertices, machine.links, way) == PathClass{PathKind::network, *switches});
      }
    }
  }
}

TEST_CASE("the samples show every class that a pair has") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const Machine machine = random_cluster(seed);
    const std::optional<ClusterRouting> routing = ClusterRouting::find(machine.vertices, machine.links, machine.gpus);
    REQUIRE(routing.has_value());
    std::set<PathClass> all;
    std::set<PathClass> sampled;
    for (std::size_t a = 0; a < machine.gpus.size(); ++a) {
      for (std::size_t b = a + 1; b < machine.gpus.size(); ++b)
        all.insert(classify(machine.vertices, machine.links, routing->route(a, b)));
    }
    for (const auto& [a, b] : routing->samples())
      sampled.insert(classify(machine.vertices, machine.links, routing->route(a, b)));
    CHECK(all == sampled);
  }
}

TEST_CASE("two GPUs and two adapters below one switch make two rails") {
  Machine machine;
  const VertexId leaf = machine.add(VertexKind::network_switch);
  const VertexId other = machine.add(VertexKind::network_switch);
  machine.join(leaf, other, LinkKind::network);
  for (int node = 0; node < 2; ++node) {
    const VertexId above = machine.add(VertexKind::pcie_switch);
    for (int i = 0; i < 2; ++i) machine.gpus.push_back(machine.below(VertexKind::gpu, above));
    for (const VertexId on : {leaf, other}) machine.join(machine.below(VertexKind::nic, above), on, LinkKind::network);
  }
  const std::optional<ClusterRouting> routing = ClusterRouting::find(machine.vertices, machine.links, machine.gpus);
  REQUIRE(routing.has_value());
  CHECK(routing->switches_between(0, 2) == 1);  // both on the first rail
  CHECK(routing->switches_between(1, 3) == 1);
  CHECK(routing->switches_between(0, 3) == 2);
  CHECK_FALSE(routing->switches_between(0, 1));
}

TEST_CASE("rails that do not meet: data crosses inside a node, on the same way forth and back") {
  Machine machine;
  const std::vector<VertexId> rails{machine.add(VertexKind::network_switch), machine.add(VertexKind::network_switch)};
  for (int node = 0; node < 2; ++node) {
    const VertexId socket = machine.add(VertexKind::root_complex);
    for (const VertexId rail : rails) {
      const VertexId above = machine.below(VertexKind::pcie_switch, socket);
      machine.gpus.push_back(machine.below(VertexKind::gpu, above));
      machine.join(machine.below(VertexKind::nic, above), rail, LinkKind::network);
    }
  }
  const std::optional<ClusterRouting> routing = ClusterRouting::find(machine.vertices, machine.links, machine.gpus);
  REQUIRE(routing.has_value());
  CHECK(routing->route(0, 2).size() == 6);
  CHECK(routing->switches_between(0, 3) == 1);
  const std::vector<LinkId> forth = routing->route(0, 3);
  std::vector<LinkId> back = routing->route(3, 0);
  REQUIRE(forth.size() == 8);  // two links more than on the GPU's own rail
  CHECK(machine.links[forth[2].index()].to == rails[0]);
  std::ranges::reverse(back);
  for (std::size_t i = 0; i < forth.size(); ++i)
    CHECK(machine.links[back[i].index()].to == machine.links[forth[i].index()].from);
}

TEST_CASE("a host as a whole uses any of its cables: as few switches as Dijkstra's algorithm finds") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Machine machine;
    const std::vector<VertexId> switches = random_fabric(machine, random);
    for (std::uint32_t host = 2 + random.below(8); host > 0; --host) {
      machine.gpus.push_back(machine.add(VertexKind::compute_node));
      for (std::uint32_t cable = 1 + random.below(3); cable > 0; --cable) {
        const VertexId on = switches[random.below(static_cast<std::uint32_t>(switches.size()))];
        machine.join(machine.gpus.back(), on, LinkKind::network);
      }
    }
    const std::optional<ClusterRouting> routing = ClusterRouting::find(machine.vertices, machine.links, machine.gpus);
    REQUIRE(routing.has_value());
    const Routing by_search(machine.vertices, machine.links, machine.gpus);
    for (std::size_t a = 0; a < machine.gpus.size(); ++a) {
      for (std::size_t b = 0; b < machine.gpus.size(); ++b) {
        if (a == b) continue;
        CHECK(routing->route(a, b).size() == by_search.route(a, b).size());
        CHECK(routing->switches_between(a, b) == routing->switches_between(b, a));
      }
    }
  }
}

TEST_CASE("what is no cluster of nodes with adapters is left to others") {
  Machine machine;
  const VertexId leaf = machine.add(VertexKind::network_switch);
  const VertexId host = machine.add(VertexKind::compute_node);
  machine.join(host, leaf, LinkKind::network);
  machine.gpus = {host};
  CHECK(ClusterRouting::find(machine.vertices, machine.links, machine.gpus));  // the whole host is a place
  machine.vertices[host.index()].parent = leaf;
  CHECK_FALSE(ClusterRouting::find(machine.vertices, machine.links, machine.gpus));  // the host is in a tree
  const VertexId nic = machine.add(VertexKind::nic);
  machine.links.push_back({.from = nic, .to = leaf, .kind = LinkKind::network});
  CHECK_FALSE(ClusterRouting::find(machine.vertices, machine.links, machine.gpus));  // no way back
  machine.links.push_back({.from = leaf, .to = nic, .kind = LinkKind::network});
  CHECK(ClusterRouting::find(machine.vertices, machine.links, machine.gpus));
  machine.gpus.push_back(machine.add(VertexKind::gpu));
  CHECK_FALSE(ClusterRouting::find(machine.vertices, machine.links, machine.gpus));  // a GPU without any link
}
