// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include <topowise/graph/nearest_nics.hpp>
#include <topowise/launch/nics.hpp>

using namespace topowise;

namespace {

using Near = std::vector<std::vector<std::size_t>>;
using Nics = std::vector<std::optional<std::string>>;

Inherited with(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found != variables.end() ? std::optional(found->second) : std::nullopt;
  };
}

std::vector<std::size_t> fullest_first(std::vector<std::size_t> load) {
  std::ranges::sort(load, std::greater<>());
  return load;
}

/// The smallest loads, compared from the fullest NIC on. The function tries all choices.
std::vector<std::size_t> fairest(const Near& near, std::size_t rank, std::vector<std::size_t>& load) {
  if (rank == near.size()) return fullest_first(load);
  if (near[rank].empty()) return fairest(near, rank + 1, load);
  std::vector<std::size_t> least{near.size() + 1};
  for (const std::size_t nic : near[rank]) {
    ++load[nic];
    least = std::min(least, fairest(near, rank + 1, load));
    --load[nic];
  }
  return least;
}

/// Two PCIe switches in one socket, each with two GPUs and two NICs.
Topology two_switches() {
  TopologyBuilder builder("two switches");
  const VertexId bridge = builder.add_vertex({.kind = VertexKind::root_complex, .name = "bridge"});
  for (int s = 0; s < 2; ++s) {
    const VertexId hub = builder.add_vertex({.kind = VertexKind::pcie_switch, .name = fmt::format("switch {}", s)});
    const auto join = [&](VertexId child, VertexId parent) {
      builder.set_parent(child, parent);
      builder.add_links({.from = child, .to = parent, .kind = LinkKind::pcie});
    };
    join(hub, bridge);
    // The higher number comes first: the order of the file differs from the order of the names.
    for (int i = 1; i >= 0; --i)
      join(builder.add_vertex({.kind = VertexKind::nic, .name = fmt::format("mlx5_{}", 2 * s + i)}), hub);
    for (int i = 0; i < 2; ++i) {
      const VertexId gpu = builder.add_vertex({.kind = VertexKind::gpu, .name = fmt::format("GPU{}", 2 * s + i)});
      join(gpu, hub);
      builder.add_place(PlaceKind::gpu, gpu, 2);
    }
  }
  return std::move(builder).build();
}

std::vector<std::string> near_for(const std::vector<std::size_t>& gpus) {
  const Topology topology = two_switches();
  std::vector<Place> places;
  for (const std::size_t gpu : gpus) places.emplace_back(gpu);
  const Mapping mapping(places);
  return nics_near_node(place_ranks(mapping, topology), 0, mapping, topology);
}

Nics nics_for(const std::vector<std::size_t>& gpus) {
  const Topology topology = two_switches();
  std::vector<Place> places;
  for (const std::size_t gpu : gpus) places.emplace_back(gpu);
  const Mapping mapping(places);
  return nics_of_node(place_ranks(mapping, topology), 0, mapping, topology);
}

}  // namespace

TEST_CASE("NICs are shared evenly, by the lowest numbers first") {
  CHECK(share_nics(Near{}).empty());
  CHECK(share_nics(Near{{0, 1}, {0, 1}}) == std::vector<std::optional<std::size_t>>{0, 1});
  CHECK(share_nics(Near{{0, 1}, {0}}) == std::vector<std::optional<std::size_t>>{1, 0});
  CHECK(share_nics(Near{{}, {3}}) == std::vector<std::optional<std::size_t>>{std::nullopt, 3});
  // Two ranks have to share NIC 0; that is no reason for the others to share one.
  CHECK(share_nics(Near{{0}, {0}, {1, 2}, {1, 2}}) == std::vector<std::optional<std::size_t>>{0, 0, 1, 2});
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t nics = 1 + random() % 4;
    Near near(random() % 7);
    for (std::vector<std::size_t>& each : near) {
      for (std::size_t nic = 0; nic < nics; ++nic) {
        if (random() % 2 == 0) each.push_back(nic);
      }
    }
    const std::vector<std::optional<std::size_t>> chosen = share_nics(near);
    std::vector<std::size_t> load(nics, 0);
    for (std::size_t rank = 0; rank < near.size(); ++rank) {
      REQUIRE(chosen[rank].has_value() == !near[rank].empty());
      if (!chosen[rank]) continue;
      CHECK(std::ranges::find(near[rank], *chosen[rank]) != near[rank].end());
      ++load[*chosen[rank]];
    }
    std::vector<std::size_t> none(nics, 0);
    CHECK(fullest_first(load) == fairest(near, 0, none));
  }
}

TEST_CASE("a rank gets a NIC behind the switch of its GPU") {
  CHECK(nics_for({3}) == Nics{"mlx5_2"});
  CHECK(nics_for({2, 1, 3, 0}) == Nics{"mlx5_2", "mlx5_0", "mlx5_3", "mlx5_1"});
  CHECK(nics_for({0, 0, 1, 1}) == Nics{"mlx5_0", "mlx5_0", "mlx5_1", "mlx5_1"});
}

TEST_CASE("ways to NICs are looked for inside the node, whatever is around it") {
  TopologyBuilder builder("hosts on one switch");
  const VertexId network = builder.add_vertex({.kind = VertexKind::network_switch, .name = "leaf"});
  // A table of all pairs of places and NICs would be too large.
  constexpr int kNodes = 5'000;
  std::vector<VertexId> nics;
  for (int n = 0; n < kNodes; ++n) {
    const std::string host = fmt::format("n{}", n);
    const VertexId node = builder.add_vertex({.kind = VertexKind::compute_node, .name = host, .parent = network});
    const auto below = [&](VertexKind kind, std::string name) {
      const VertexId device = builder.add_vertex({.kind = kind, .name = std::move(name), .node = host, .parent = node});
      builder.add_links({.from = device, .to = node, .kind = LinkKind::pcie});
      return device;
    };
    builder.add_place(PlaceKind::gpu, below(VertexKind::gpu, "GPU0"));
    const VertexId nic = below(VertexKind::nic, "mlx5_0");
    builder.add_links({.from = nic, .to = network, .kind = LinkKind::network});
    if (n != 1) nics.push_back(nic);
  }
  const Topology topology = std::move(builder).build();
  const std::vector<Place> places{Place(kNodes - 1U), Place(1U), Place(0U)};
  const std::vector<NearestNics> nearest = nearest_nics(topology, places, nics);
  CHECK(nearest[0].nics == std::vector<std::size_t>{nics.size() - 1});
  CHECK(nearest[1].nics.empty());  // the routes to the NICs of other nodes lead through the network
  CHECK(nearest[2].nics == std::vector<std::size_t>{0});
  CHECK(nics_without_network(topology, std::vector{places[0], places[2]}) == std::vector{nics.front(), nics.back()});
  const Mapping mapping(places);
  const Placement placement = place_ranks(mapping, topology);
  CHECK(nics_of_node(placement, placement.ranks[0].node, mapping, topology) == Nics{"mlx5_0"});
}

TEST_CASE("what NCCL reads: all NICs near a rank of the node, the same for all ranks") {
  using Names = std::vector<std::string>;
  CHECK(near_for({3}) == Names{"mlx5_2", "mlx5_3"});
  CHECK(near_for({2, 0}) == Names{"mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3"});
  const Names near{"mlx5_0", "mlx5_1"};
  const Nics nics{"mlx5_0", "mlx5_1"};
  for (const std::size_t rank : {0, 1}) {
    CHECK(nic_environment(nics, near, rank, with({})) ==
          Variables{{"UCX_NET_DEVICES", fmt::format("mlx5_{}:1", rank)}, {"NCCL_IB_HCA", "=mlx5_0,mlx5_1"}});
  }
  CHECK(nic_environment(nics, near, 0, with({{"NCCL_IB_HCA", "mlx5_7"}})) ==
        Variables{{"UCX_NET_DEVICES", "mlx5_0:1"}});
  CHECK(nic_environment(nics, near, 0, with({{"UCX_NET_DEVICES", "all"}})) ==
        Variables{{"NCCL_IB_HCA", "=mlx5_0,mlx5_1"}});
  const Names other{"mlx5_0", "eth0"};  // NCCL's InfiniBand knows only these NICs
  CHECK(nic_environment(nics, other, 0, with({})) == Variables{{"UCX_NET_DEVICES", "mlx5_0:1"}});
}

TEST_CASE("what UCX and Cray MPICH read") {
  CHECK(nic_environment(Nics{"mlx5_0", "mlx5_3"}, {}, 1, with({})) == Variables{{"UCX_NET_DEVICES", "mlx5_3:1"}});
  CHECK(nic_environment(Nics{"mlx5_0"}, {}, 0, with({{"UCX_NET_DEVICES", "all"}})).empty());
  CHECK(nic_environment(Nics{"hsn1", "hsn0", "hsn1"}, {}, 0, with({})) ==
        Variables{{"MPICH_OFI_NIC_POLICY", "USER"}, {"MPICH_OFI_NIC_MAPPING", "0:1;1:0,2"}});
  // A network interface: UCX takes it without a port.
  CHECK(nic_environment(Nics{"ib0"}, {}, 0, with({})).empty());
  CHECK(nic_environment(Nics{"ibp12s0"}, {}, 0, with({})) == Variables{{"UCX_NET_DEVICES", "ibp12s0:1"}});
  CHECK(nic_environment(Nics{"cxi0"}, {}, 0, with({{"MPICH_OFI_NIC_POLICY", "GPU"}})).empty());
  // An incomplete list would leave the other ranks without a NIC.
  CHECK(nic_environment(Nics{"hsn0", std::nullopt}, {}, 0, with({})).empty());
  CHECK(nic_environment(Nics{std::nullopt, "eth0", "mlx5_0; rm"}, {}, 0, with({})).empty());
  CHECK(nic_environment(Nics{std::nullopt, "eth0", "mlx5_0; rm"}, {}, 1, with({})).empty());
  CHECK(nic_environment(Nics{std::nullopt, "eth0", "mlx5_0; rm"}, {}, 2, with({})).empty());
  CHECK(nic_environment(Nics{"mlx5_0"}, {}, 1, with({})).empty());
}
