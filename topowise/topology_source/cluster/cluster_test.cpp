// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/cluster/cluster.hpp>

#include <doctest/doctest.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/topology_source/cluster/shared_switches.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/node/on_node.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>

using namespace topowise;

namespace {

/// Two leaves with a spine. Adapter i of each host is on leaf i (rails).
constexpr const char* kRails =
    "CA 1 1 0x0000000000000011 4x NDR - SW 9 1 0x00000000000000a1 ( 'n1 mlx5_0' - 'leaf1' )\n"
    "CA 2 1 0x0000000000000012 4x NDR - SW 8 1 0x00000000000000a2 ( 'n1 mlx5_1' - 'leaf2' )\n"
    "CA 3 1 0x0000000000000021 4x NDR - SW 9 2 0x00000000000000a1 ( 'n2 mlx5_0' - 'leaf1' )\n"
    "CA 4 1 0x0000000000000022 4x NDR - SW 8 2 0x00000000000000a2 ( 'n2 mlx5_1' - 'leaf2' )\n"
    "SW 9 3 0x00000000000000a1 4x NDR - SW 7 1 0x00000000000000a3 ( 'leaf1' - 'spine' )\n"
    "SW 8 3 0x00000000000000a2 4x NDR - SW 7 2 0x00000000000000a3 ( 'leaf2' - 'spine' )\n";

/// A cable for each of the `adapters` of n1 and n2: adapter i is on leaf i + 1.
std::string cables(const std::vector<std::string>& adapters) {
  std::string text;
  for (const char host : {'1', '2'}) {
    for (std::size_t i = 0; i < adapters.size(); ++i) {
      const std::string leaf = adapters[i].back() == '1' ? "2" : "1";
      text += std::string("CA 1 1 0x0000000000000") + host + std::to_string(i) + "0 4x NDR - SW 9 " + host +
              " 0x00000000000000a" + leaf + " ( 'n" + host + " " + adapters[i] + "' - 'leaf" + leaf + "' )\n";
    }
  }
  return text + "SW 9 9 0x00000000000000a1 4x NDR - SW 8 9 0x00000000000000a2 ( 'leaf1' - 'leaf2' )\n";
}

constexpr const char* kSlurm =
    "SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\nSwitchName=top Switches=s[1-2]\n";

/// One switch with two GPUs and two adapters.
Topology node() {
  TopologyBuilder builder("node");
  const VertexId above = builder.add_vertex({.kind = VertexKind::pcie_switch, .name = "switch"});
  for (int i = 0; i < 2; ++i) {
    for (const VertexKind kind : {VertexKind::gpu, VertexKind::nic}) {
      const bool gpu = kind == VertexKind::gpu;
      const VertexId device =
          builder.add_vertex({.kind = kind, .name = (gpu ? "GPU" : "mlx5_") + std::to_string(i), .parent = above});
      builder.add_links({.from = device,
                         .to = above,
                         .kind = LinkKind::pcie,
                         .bandwidth = gigabytes_per_second(63),
                         .source = "test"});
      if (gpu) builder.add_place(PlaceKind::gpu, device);
    }
  }
  return std::move(builder).build();
}

Topology read(const std::string& word) {
  if (word == "rails") return read_topology_text("rails", kRails);
  if (word == "crossed") return read_topology_text(word, cables({"mlx5_1", "mlx5_0"}));
  if (word == "second") return read_topology_text(word, cables({"mlx5_1"}));
  if (word == "alternating")  // adapters whose number ends in 1 are on leaf 2
    return read_topology_text(
        word, cables({"mlx5_2", "mlx5_11", "mlx5_20", "mlx5_31", "mlx5_42", "mlx5_51", "mlx5_64", "mlx5_71"}));
  if (word == "other") return read_topology_text(word, cables({"mlx5_7", "mlx5_1"}));
  if (word == "dgx") {
    return read_topology_text(
        word, cables({"mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11"}));
  }
  if (word == "slurm") return read_topology_text("slurm", kSlurm);
  if (word == "addresses") return read_topology_text(word, "SwitchName=s1 Nodes=10.0.0.[1-5]\n");
  if (word == "domains") return read_topology_text(word, "SwitchName=s1 Nodes=gpu01.a,gpu01.b,gpu02.a,gpu03\n");
  if (word == "node") return node();
  return read_topology(word);
}

Topology cluster(const std::string& description) {
  return read_cluster(description, read);
}

std::string failure(const std::string& description) {
  try {
    (void)cluster(description);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string network_class(const Topology& machine, std::size_t a, std::size_t b) {
  return to_string(machine.path_class(Place(a), Place(b)));
}

std::string way(const Topology& machine, std::size_t a, std::size_t b) {
  std::string names = machine.vertex_of(Place(a)).name;
  for (const LinkId link : machine.route(Place(a), Place(b))) names += " " + machine.vertex(machine.link(link).to).name;
  return names;
}

}  // namespace

TEST_CASE("rails keep to their leaf switches where the fabric shows a cable for each adapter") {
  const Topology machine = cluster("rails,node");
  REQUIRE(machine.place_count() == 4);
  CHECK(machine.vertex_of(Place(3)).name == "n2:GPU1");
  CHECK(machine.vertex_of(Place(3)).node == "n2");
  CHECK(way(machine, 0, 2) == "n1:GPU0 n1:switch n1:mlx5_0 leaf1 n2:mlx5_0 n2:switch n2:GPU0");
  CHECK(way(machine, 1, 3) == "n1:GPU1 n1:switch n1:mlx5_1 leaf2 n2:mlx5_1 n2:switch n2:GPU1");
  CHECK(way(machine, 0, 3) == "n1:GPU0 n1:switch n1:mlx5_0 leaf1 spine leaf2 n2:mlx5_1 n2:switch n2:GPU1");
  CHECK(network_class(machine, 0, 1) == "PIX");
  CHECK(network_class(machine, 0, 2) == "NET1");
  CHECK(network_class(machine, 1, 2) == "NET3");
  CHECK(machine.bandwidth(Place(0), Place(2)).value() == 50e9);  // 4x NDR, stated by the fabric
  CHECK(machine.warnings().empty());
}

TEST_CASE("a cable is on the adapter of its name where the fabric and the node use the same names") {
  const Topology machine = cluster("crossed,node");
  REQUIRE(machine.place_count() == 4);
  CHECK(way(machine, 1, 3) == "n1:GPU1 n1:switch n1:mlx5_1 leaf2 n2:mlx5_1 n2:switch n2:GPU1");
  CHECK(machine.warnings().empty());
  // mlx5_0 has no cable in this fabric
  const Topology second = cluster("second,node");
  CHECK(way(second, 0, 2) == "n1:GPU0 n1:switch n1:mlx5_1 leaf2 n2:mlx5_1 n2:switch n2:GPU0");
  CHECK(second.warnings().empty());
  // mlx5_7 is no adapter of the node
  const Topology other = cluster("other,node");
  CHECK(way(other, 0, 2) == "n1:GPU0 n1:switch n1:mlx5_1 leaf2 n2:mlx5_1 n2:switch n2:GPU0");
  REQUIRE(other.warnings().size() == 1);
  CHECK(other.warnings()[0] ==
        "'other' has cables on adapters that 'node' does not have, which are left out: 1 of n1, mlx5_7 first");
}

TEST_CASE("a preset does not know what the adapters of a real node are called: cables follow in order") {
  const Topology machine = cluster("dgx,preset:hgx-h100");
  REQUIRE(machine.place_count() == 16);
  CHECK(way(machine, 7, 15).find("n1:mlx5_7 leaf2 n2:mlx5_7") != std::string::npos);
  CHECK(std::ranges::none_of(machine.warnings(),
                             [](const std::string& text) { return text.find("left out") != std::string::npos; }));
}

TEST_CASE("hosts with another number of cables than their node has adapters are reported once") {
  const Topology machine = cluster("crossed,preset:hgx-h100");
  REQUIRE(machine.place_count() == 16);
  CHECK(
      std::ranges::count(machine.warnings(),
                         "n1 has 2 cables in 'crossed' but 8 adapters in 'hgx-h100': the first 2 are joined; likewise "
                         "for 1 more host") == 1);
}

TEST_CASE("a preset's adapters that are on two leaf switches in turn stay on them") {
  const Topology machine = cluster("alternating,preset:hgx-h100");
  for (std::size_t gpu = 0; gpu < 8; ++gpu) {
    CAPTURE(gpu);
    const std::string leaf = gpu % 2 == 0 ? " leaf1 " : " leaf2 ";
    CHECK(way(machine, gpu, 8 + gpu).find(leaf) != std::string::npos);
    CHECK(network_class(machine, gpu, 8 + gpu) == "NET1");
    CHECK(network_class(machine, gpu, 8 + (gpu + 2) % 8) == "NET1");
    CHECK(network_class(machine, gpu, 8 + (gpu + 1) % 8) == "NET2");
  }
}

TEST_CASE("one place for a host in the fabric: all adapters hang there, and rates are assumed aloud") {
  const Topology machine = cluster("slurm,node");
  REQUIRE(machine.place_count() == 8);
  CHECK(way(machine, 1, 2) == "n1:GPU1 n1:switch n1:mlx5_1 s1 n2:mlx5_0 n2:switch n2:GPU0");
  CHECK(network_class(machine, 0, 2) == "NET1");
  CHECK(network_class(machine, 0, 7) == "NET3");
  CHECK(machine.warnings().size() == 2);
  const std::vector<LinkId> route = machine.route(Place(0), Place(7));
  const Link& up = machine.link(route[3]);
  CHECK(machine.vertex(up.to).name == "top");
  CHECK(up.bandwidth.value() == 4 * 63e9);  // two hosts, each with two adapters of 63 GB/s
  CHECK(up.source == "composed (assumed)");
  const Topology stated = cluster("slurm,node,nic=25GB/s");
  CHECK(stated.bandwidth(Place(0), Place(7)).value() == 25e9);
  CHECK(stated.warnings().size() == 1);
}

TEST_CASE("hosts of a job, in its order; hosts and descriptions that do not fit are named") {
  const Topology machine = cluster("slurm,node,hosts=n[4,1]");
  REQUIRE(machine.place_count() == 4);
  CHECK(machine.vertex_of(Place(0)).node == "n4");
  CHECK(machine.vertex_of(Place(2)).node == "n1");
  CHECK(failure("slurm,node,hosts=n[1-9]") == "'slurm' does not know 5 of the hosts: n5, n6, n7, n8, n9");
  CHECK(failure("slurm,n[1-3]=node") == "host n4 has no description");
  CHECK(failure("slurm,n[1-2]=node,n2=node") == "host n2 has two descriptions");
  CHECK(failure("slurm,n[1-2]=node,m1=node,node") == "'slurm' does not know 1 of the hosts: m1");
  CHECK(failure("slurm,node,preset:hgx-h100") == "several nodes are for all hosts");
  CHECK(failure("slurm") == "'cluster:slurm' wants a fabric and a node");
  CHECK(failure("slurm,node,nic=fast") == "nic: 'fast' is no bandwidth");
  CHECK(failure("node,node") == "'node' is no fabric: its places are gpus, not hosts");
  const Topology mixed = cluster("slurm,n[1-3]=node,preset:hgx-h100");
  CHECK(mixed.place_count() == 3 * 2 + 8);
  const Topology named = cluster("tree:2:2,node,hosts=a[1-3]");
  CHECK(named.vertex_of(Place(5)).name == "a3:GPU1");
  CHECK(cluster("tree:2:2,node,hosts=a[1,1,2]").place_count() == 4);  // a host named twice counts once
  CHECK(cluster("slurm,node,hosts=n[1,1,2]").place_count() == 4);
  CHECK(failure("tree:2:2,node,hosts=a[1-5]") == "'tree:2:2' has room for 4 hosts, but 5 are named");
}

TEST_CASE("hosts that are addresses, or alike up to the first dot, are different hosts; lists of them in many forms") {
  const auto nodes = [](const std::string& description) {
    const Topology machine = cluster(description);
    std::string names;
    for (std::size_t p = 0; p < machine.place_count(); p += 2) names += machine.vertex_of(Place(p)).node + " ";
    return names;
  };
  // the form that `scontrol show hostnames` prints
  CHECK(nodes("slurm,node,hosts=n1\nn2 n3\n,n4\n") == "n1 n2 n3 n4 ");
  CHECK(nodes("slurm,node,hosts=n1,n2\nn3\n") == "n1 n2 n3 ");
  CHECK(failure("slurm,node,hosts=\n") == "hosts names no host");
  CHECK(nodes("addresses,node,hosts=10.0.0.[1,2,5]") == "10.0.0.1 10.0.0.2 10.0.0.5 ");
  CHECK(nodes("addresses,10.0.0.[1-5]=node,hosts=10.0.0.[1-2]") == "10.0.0.1 10.0.0.2 ");
  CHECK(failure("addresses,node,hosts=10.0.0.[1,9]") == "'addresses' does not know 1 of the hosts: 10.0.0.9");
  CHECK(nodes("domains,node,hosts=gpu01.a,hosts=gpu01.b") == "gpu01.a gpu01.b ");
  CHECK(nodes("domains,node,hosts=gpu[02,03]") == "gpu02.a gpu03 ");  // the domain may be left out
  CHECK(nodes("domains,node,hosts=gpu03.b") == "gpu03 ");
  CHECK(failure("domains,node,hosts=gpu01") == "'domains' does not know 1 of the hosts: gpu01");
  CHECK(failure("domains,node,hosts=gpu03.a,hosts=gpu03.b") ==
        "'domains' does not know 2 of the hosts: gpu03.a, gpu03.b");
}

TEST_CASE("words of a cluster: commas in brackets, files with '=' in their path") {
  const ClusterWords words = parse_cluster("dir/a=b.conf,n[1,3]=p/x=1.xml,preset:q,hosts=n[1-2],hosts=n4,nic=1GB/s");
  CHECK(words.fabric == "dir/a=b.conf");
  REQUIRE(words.nodes.size() == 2);
  CHECK(words.nodes[0].topology == "p/x=1.xml");
  CHECK(words.nodes[0].hosts == std::vector<std::string>{"n1", "n3"});
  CHECK(words.nodes[1].hosts.empty());
  CHECK(*words.hosts == std::vector<std::string>{"n1", "n2", "n4"});
  CHECK(words.nic->value() == 1e9);
}

TEST_CASE("words of a cluster: commas between hosts") {
  using Hosts = std::vector<std::string>;
  for (const char* description : {"f,preset:q,hosts=n01,n05", "f,hosts=n01,n05,preset:q", "f,hosts=n01,hosts=n05,q",
                                  "f,preset:q,hosts=n01,n05,nic=1GB/s", "f,hosts=n01,n05,q"}) {
    CAPTURE(description);
    const ClusterWords words = parse_cluster(description);
    CHECK(*words.hosts == Hosts{"n01", "n05"});
    REQUIRE(words.nodes.size() == 1);
    CHECK(words.nodes[0].hosts.empty());
  }
  CHECK(*parse_cluster("f,preset:q,hosts=n[01-02],n05,m-1.a").hosts == Hosts{"n01", "n02", "n05", "m-1.a"});
  const ClusterWords words = parse_cluster("f,n1,n[2-3],n5=preset:a,n6=preset:b,preset:q,hosts=n1,n6");
  REQUIRE(words.nodes.size() == 3);
  CHECK(words.nodes[0].hosts == Hosts{"n1", "n2", "n3", "n5"});
  CHECK(words.nodes[1].hosts == Hosts{"n6"});
  CHECK(words.nodes[2].topology == "preset:q");
  CHECK(*words.hosts == Hosts{"n1", "n6"});
  CHECK_THROWS_WITH_AS((void)parse_cluster("f,hosts=n1,n2,n3=preset:a"), "'n2' may belong to hosts= or to n3=", Error);
}

TEST_CASE("networks without switches: each host is its router") {
  const Topology machine = cluster("torus:3x3,node");
  REQUIRE(machine.place_count() == 18);
  CHECK(network_class(machine, 0, 1) == "PIX");
  CHECK(network_class(machine, 0, 2) == "NET2");  // a neighbour: the route crosses two routers
  CHECK(network_class(machine, 0, 2 * 4) == "NET3");
}

TEST_CASE("a rack of several hosts as a node; a node without an adapter") {
  const Topology racks = cluster("tree:2,preset:gb200-nvl72");
  CHECK(racks.place_count() == 144);
  CHECK(racks.vertex_of(Place(143)).name == "P1-tray17:GPU71");
  CHECK(network_class(racks, 0, 71) == "NV18");
  CHECK(network_class(racks, 0, 72) == "NET1");
  const Topology bare = cluster("tree:2,preset:dgx2");
  CHECK(network_class(bare, 0, 16) == "NET1");
  CHECK(std::ranges::any_of(bare.warnings(),
                            [](const std::string& text) { return text.find("no adapter") != std::string::npos; }));
}

TEST_CASE("whatever the preset, the rates of all links between two nodes are known, as objectives want them") {
  for (const Preset& preset : presets()) {
    CAPTURE(preset.name);
    const std::string words = "tree:2,preset:" + std::string(preset.name);
    if (preset.name.starts_with("eurompi2011")) {  // these are clusters themselves
      CHECK_THROWS_AS((void)cluster(words), Error);
      continue;
    }
    const Topology machine = cluster(words);
    const std::size_t places = machine.place_count() / 2;
    for (std::size_t p = 0; p < places; ++p) CHECK(machine.bandwidth(Place(p), Place(places)).value() > 0);
  }
  const Topology bare = cluster("tree:2,preset:l40s-8");
  CHECK(bare.warnings()[0] ==
        "l40s-8: no adapter is described; one at the first processor is assumed, with 31.5 GB/s, the rate of a GPU's "
        "PCIe link (nic=50GB/s states it)");
  CHECK(cluster("tree:2,preset:l40s-8,nic=50GB/s").warnings()[0] ==
        "l40s-8: no adapter is described; one at the first processor is assumed, with 50 GB/s");
}

TEST_CASE("trays that are hosts share the NVSwitches of their rack") {
  const Topology machine = cluster("slurm,preset:gb200-tray,nvlink=leaf");
  REQUIRE(machine.place_count() == 16);
  CHECK(network_class(machine, 0, 3) == "NV18");
  CHECK(network_class(machine, 0, 4) == "NV18");  // the other tray of the rack
  CHECK(network_class(machine, 0, 8) == "NET3");
  CHECK(machine.vertex_of(Place(4)).node == "n2");
  CHECK(way(machine, 0, 4) == "n1:GPU0 s1:NVSwitch plane n2:GPU0");
  const Topology apart = cluster("slurm,preset:gb200-tray");
  CHECK(network_class(apart, 0, 4) == "NET1");
  const auto hints = [](const Topology& of) {
    return std::ranges::count_if(of.warnings(), [](const std::string& warning) {
      return warning.find("nvlink=leaf joins them") != std::string::npos;
    });
  };
  CHECK(hints(apart) == 1);
  CHECK(hints(machine) == 0);
  CHECK(hints(cluster("slurm,preset:hgx-h100")) == 0);
  CHECK(hints(cluster("slurm,preset:gb200-tray,hosts=n1,n3")) == 0);  // one host on each leaf
  const Topology none = cluster("slurm,preset:l40s-8,nvlink=leaf");
  CHECK(none.warnings().back().starts_with("nvlink=leaf has no effect on hosts that 'l40s-8' describes"));
  CHECK(failure("slurm,node,nvlink=all") == "nvlink: 'all' is not leaf");
}

namespace {

/// Four hosts, two on each of two leaves by mlx5_0, all on a third switch by mlx5_4.
constexpr const char* kStorage =
    "CA 1 1 0x0000000000000011 4x NDR - SW 9 1 0x00000000000000a1 ( 'n1 mlx5_0' - 'leaf1' )\n"
    "CA 2 1 0x0000000000000012 4x NDR - SW 8 1 0x00000000000000a3 ( 'n1 mlx5_4' - 'storage' )\n"
    "CA 3 1 0x0000000000000021 4x NDR - SW 9 2 0x00000000000000a1 ( 'n2 mlx5_0' - 'leaf1' )\n"
    "CA 4 1 0x0000000000000022 4x NDR - SW 8 2 0x00000000000000a3 ( 'n2 mlx5_4' - 'storage' )\n"
    "CA 5 1 0x0000000000000031 4x NDR - SW 7 1 0x00000000000000a2 ( 'n3 mlx5_0' - 'leaf2' )\n"
    "CA 6 1 0x0000000000000032 4x NDR - SW 8 3 0x00000000000000a3 ( 'n3 mlx5_4' - 'storage' )\n"
    "CA 7 1 0x0000000000000041 4x NDR - SW 7 2 0x00000000000000a2 ( 'n4 mlx5_0' - 'leaf2' )\n"
    "CA 8 1 0x0000000000000042 4x NDR - SW 8 4 0x00000000000000a3 ( 'n4 mlx5_4' - 'storage' )\n"
    "SW 9 3 0x00000000000000a1 4x NDR - SW 6 1 0x00000000000000a4 ( 'leaf1' - 'spine' )\n"
    "SW 7 3 0x00000000000000a2 4x NDR - SW 6 2 0x00000000000000a4 ( 'leaf2' - 'spine' )\n"
    "SW 8 5 0x00000000000000a3 4x NDR - SW 6 3 0x00000000000000a4 ( 'storage' - 'spine' )\n";

/// One GPU with mlx5_0 beside it; mlx5_4 is farther away.
constexpr const char* kNodeWithStorage =
    "\tGPU0\tNIC0\tNIC1\nGPU0\t X \tPIX\tNODE\nNIC0\tPIX\t X \tNODE\nNIC1\tNODE\tNODE\t X \n\nNIC Legend:\n\n"
    "  NIC0: mlx5_0\n  NIC1: mlx5_4\n";

Topology on_storage(const std::string& rest) {
  return read_cluster("fabric," + rest, [](const std::string& part) {
    if (part == "fabric") return read_topology_text(part, kStorage);
    const std::string_view node = kNodeWithStorage;
    if (part == "file:unnamed") return read_topology_text(part, node.substr(0, node.find("\n\n") + 1));
    return part == "file:node" ? read_topology_text(part, node) : read_topology(part);
  });
}

/// The warning that says so, or nothing.
std::string told_of_storage(const Topology& machine) {
  const auto found = std::ranges::find_if(machine.warnings(), [](const std::string& warning) {
    return warning.find("have a cable on 'storage' (mlx5_4)") != std::string::npos;
  });
  return found == machine.warnings().end() ? std::string() : *found;
}

}  // namespace

TEST_CASE("adapters of a preset that cables of other names join are assumed to be those") {
  const Topology machine = on_storage("preset:dgx-a100");
  const auto told = std::ranges::find_if(machine.assumptions(), [](const std::string& assumption) {
    return assumption.ends_with(" join the adapters of dgx-a100 in their order, mlx5_4 the adapter mlx5_1");
  });
  CHECK(told != machine.assumptions().end());
}

TEST_CASE("a switch for storage does not make all hosts neighbours, or it is said") {
  const Topology by_name = on_storage("file:node");
  CHECK(network_class(by_name, 0, 1) == "NET1");
  CHECK(network_class(by_name, 0, 2) == "NET3");
  CHECK(told_of_storage(by_name).ends_with("these cables are left out, because their adapters are no GPU's nearest"));
  const auto joined = [](const Topology& machine, std::string_view adapter) {
    return std::ranges::any_of(machine.links(), [&](const Link& link) {
      return link.kind == LinkKind::network && machine.vertex(link.from).name.ends_with(adapter);
    });
  };
  CHECK(joined(by_name, "mlx5_0"));
  CHECK_FALSE(joined(by_name, "mlx5_4"));
  CHECK(told_of_storage(on_storage("preset:hgx-h100")).ends_with("(hca=mlx5_0 leaves the others out)"));
  const Topology in_order = on_storage("file:unnamed");
  CHECK(network_class(in_order, 0, 2) == "NET3");
  CHECK_FALSE(joined(in_order, "NIC1"));
  const Topology chosen = on_storage("preset:hgx-h100,hca=mlx5_0");
  CHECK(told_of_storage(chosen).empty());
  CHECK(network_class(chosen, 0, 8) == "NET1");
  CHECK(network_class(chosen, 0, 16) == "NET3");
  CHECK(network_class(on_storage("file:node,hca=mlx5_[4-5]"), 0, 2) == "NET1");
}

TEST_CASE("hca= must name adapters that the hosts have") {
  const auto refused = [](const std::string& rest) {
    try {
      (void)on_storage(rest);
    } catch (const Error& error) {
      return error.diagnostics().front().what + " / " + error.diagnostics().front().hint;
    }
    return std::string("accepted");
  };
  CHECK(refused("file:node,hca=mlx5_9") == "host n1 has no adapter of hca= in 'fabric' / it has mlx5_0, mlx5_4");
  CHECK_THROWS_WITH_AS((void)on_storage("file:node,hca=mlx5_["), doctest::Contains("a bracket is not closed"), Error);
  CHECK(failure("slurm,node,hca=mlx5_0").starts_with("'slurm' does not name the adapters of n1"));
}

TEST_CASE("a fabric alone says which switch makes its hosts neighbours; rails do not") {
  CHECK(told_of_storage(with_shared_switches_told(read_topology_text("f", kStorage)))
            .ends_with("divide them into 2 groups (cluster:FABRIC,NODE,hca=mlx5_0 leaves the others out)"));
  CHECK(with_shared_switches_told(read_topology_text("f", kRails)).warnings().empty());
}

TEST_CASE("hosts keep the fabric's names, whatever the description of the node calls itself") {
  const auto described = [](const std::string& part) {
    if (part == "fabric") return read_topology_text(part, kSlurm);
    return on_node(node(), part == "file:1" ? "gpu05" : "gpu06");
  };
  const Topology machine = read_cluster("fabric,n2=file:2,file:1", described);
  CHECK(machine.vertex_of(Place(0)).node == "n1");
  CHECK(machine.vertex_of(Place(0)).name == "n1:GPU0");
  CHECK(machine.vertex_of(Place(2)).node == "n2");
  const Topology none = on_node(node(), host_or_empty("localhost.localdomain"));
  CHECK(none.vertex_of(Place(0)).node.empty());
  CHECK(host_or_empty("(none)").empty());
  CHECK(host_or_empty("gpu05.example") == "gpu05.example");
}

TEST_CASE("the vertex of a node reaches the network, and is on no way between GPUs") {
  const Topology machine = cluster("tree:2,preset:hgx-h100");
  TopologyBuilder builder("with nodes");
  for (const Vertex& vertex : machine.vertices()) builder.add_vertex(vertex);
  for (const Link& link : machine.links()) builder.add_link(link);
  for (const PlaceEntry& place : machine.places()) builder.add_place(place.kind, place.vertex);
  for (std::size_t v = 0; v < machine.vertices().size(); ++v) {
    if (machine.vertices()[v].kind == VertexKind::compute_node) builder.add_place(PlaceKind::node, VertexId(v));
  }
  const Topology with_nodes = std::move(builder).build();
  CHECK(network_class(with_nodes, 16, 17) == "NET1");
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = 0; b < 16; ++b)
      CHECK(machine.route(Place(a), Place(b)) == with_nodes.route(Place(a), Place(b)));
  }
  for (const LinkId link : machine.route(Place(0), Place(7)))
    CHECK(machine.vertex(machine.link(link).to).kind != VertexKind::compute_node);
}

TEST_CASE("more places than tables hold: levels are those of a small cluster of the same kind") {
  const Topology large = cluster("tree:8:8,preset:gb200-nvl72,nic=50GB/s");
  REQUIRE(large.place_count() == 4608);
  const Topology small = cluster("tree:2:2,preset:gb200-nvl72,nic=50GB/s");
  CHECK(std::ranges::equal(large.levels(), small.levels()));
  CHECK(network_class(large, 0, 71) == "NV18");
  CHECK(network_class(large, 0, 72) == "NET1");
  CHECK(network_class(large, 0, 4607) == "NET3");
  CHECK(large.level(Place(0), Place(4607)) == 2);
  CHECK(large.bandwidth(Place(3), Place(4000)).value() == 50e9);
}
