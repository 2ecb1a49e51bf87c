// SPDX-License-Identifier: BSD-3-Clause
// Every kind of fabric with every kind of node, joins of nodes, and parts of clusters: what stays inside a compute node
// is nearer than what leaves it, and what stays under one switch is nearer than what crosses several.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tests/corpus.hpp>

#include <topowise/base/error.hpp>
#include <topowise/base/random.hpp>
#include <topowise/graph/containment.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/topology_source/cluster/cluster.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/merge/merge.hpp>
#include <topowise/topology_source/merge/place_subset.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>

using namespace topowise;

namespace {

// Two rails, each with a leaf of its own for every two hosts.
constexpr const char* kRails =
    "CA 1 1 0x0000000000000011 4x NDR - SW 9 1 0x00000000000000a1 ( 'n1 mlx5_0' - 'leaf1' )\n"
    "CA 2 1 0x0000000000000012 4x NDR - SW 8 1 0x00000000000000a2 ( 'n1 mlx5_1' - 'leaf2' )\n"
    "CA 3 1 0x0000000000000021 4x NDR - SW 9 2 0x00000000000000a1 ( 'n2 mlx5_0' - 'leaf1' )\n"
    "CA 4 1 0x0000000000000022 4x NDR - SW 8 2 0x00000000000000a2 ( 'n2 mlx5_1' - 'leaf2' )\n"
    "CA 5 1 0x0000000000000031 4x NDR - SW 6 1 0x00000000000000a4 ( 'n3 mlx5_0' - 'leaf3' )\n"
    "SW 9 3 0x00000000000000a1 4x NDR - SW 7 1 0x00000000000000a3 ( 'leaf1' - 'spine' )\n"
    "SW 6 3 0x00000000000000a4 4x NDR - SW 7 3 0x00000000000000a3 ( 'leaf3' - 'spine' )\n"
    "SW 8 3 0x00000000000000a2 4x NDR - SW 7 2 0x00000000000000a3 ( 'leaf2' - 'spine' )\n";

constexpr const char* kSlurmTree =
    "SwitchName=s1 Nodes=n[1-3]\nSwitchName=s2 Nodes=n[4-5]\nSwitchName=s3 Nodes=n6\nSwitchName=m Switches=s[1-2]\n"
    "SwitchName=top Switches=m,s3\n";
/// Nodes of Kubernetes below two spines, with an NVLink domain of two of them.
constexpr const char* kLabels = R"({"kind": "List", "items": [
{"kind": "Node", "metadata": {"name": "n1", "labels": {"network.topology.nvidia.com/spine": "s1", "network.topology.nvidia.com/leaf": "l1", "network.topology.nvidia.com/accelerator": "nvl1"}}},
{"kind": "Node", "metadata": {"name": "n2", "labels": {"network.topology.nvidia.com/spine": "s1", "network.topology.nvidia.com/leaf": "l1", "network.topology.nvidia.com/accelerator": "nvl1"}}},
{"kind": "Node", "metadata": {"name": "n3", "labels": {"network.topology.nvidia.com/spine": "s1", "network.topology.nvidia.com/leaf": "l2"}}},
{"kind": "Node", "metadata": {"name": "n4", "labels": {"network.topology.nvidia.com/spine": "s2", "network.topology.nvidia.com/leaf": "l3"}}}]})";

constexpr const char* kSlurmBlocks = "BlockName=b1 Nodes=n[1-3]\nBlockName=b2 Nodes=n[4-6]\nBlockSizes=3\n";

/// Flux's graph of two racks, PBS's nodes in two racks, what Slurm's tasks know, iblinkinfo's two switches.
constexpr const char* kGraph = R"({"graph": {"nodes": [
{"id": "1", "metadata": {"type": "node", "paths": {"containment": "/c/r0/n1"}}},
{"id": "2", "metadata": {"type": "node", "paths": {"containment": "/c/r0/n2"}}},
{"id": "3", "metadata": {"type": "node", "paths": {"containment": "/c/r1/n3"}}}]}})";
constexpr const char* kRacks = R"({"pbs_version": "22.05", "nodes": {
"n1": {"state": "free", "resources_available": {"tier1": "a", "tier0": "r1"}},
"n2": {"state": "free", "resources_available": {"tier1": "a", "tier0": "r1"}},
"n3": {"state": "free", "resources_available": {"tier1": "a", "tier0": "r2"}},
"n4": {"state": "free", "resources_available": {"tier1": "b", "tier0": "r3"}}}})";
constexpr const char* kAddresses =
    "SLURM_TOPOLOGY_ADDR=s0.s1.n1\nSLURM_TOPOLOGY_ADDR=s0.s1.n2\nSLURM_TOPOLOGY_ADDR=s0.s2.n3\n";
constexpr const char* kLinkInfo =
    "CA: n1 mlx5_0:\n"
    "      0x248a070300928186      3    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       2   36[  ] \"one\" ( "
    ")\n"
    "CA: n2 mlx5_0:\n"
    "      0x248a070300928188      4    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       2   37[  ] \"one\" ( "
    ")\n"
    "CA: n3 mlx5_0:\n"
    "      0x248a070300928187      6    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       5    1[  ] \"two\" ( "
    ")\n"
    "Switch: 0x506b4b0300820910 one:\n"
    "           2   30[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       5   30[  ] \"two\" ( )\n"
    "           2   36[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       3    1[  ] \"n1 mlx5_0\" ( )\n"
    "           2   37[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       4    1[  ] \"n2 mlx5_0\" ( )\n"
    "Switch: 0x506b4b0300820911 two:\n"
    "           5    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       6    1[  ] \"n3 mlx5_0\" ( )\n"
    "           5   30[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       2   30[  ] \"one\" ( )\n";

/// Tables of Huawei, Intel, MetaX and Moore Threads: four devices in two pairs.
std::string vendors_table(const std::string& device, const std::string& near, const std::string& far) {
  const auto n = [&](int i) { return device + std::to_string(i); };
  return "  " + n(0) + " " + n(1) + " " + n(2) + " " + n(3) + " CPU Affinity\n" + n(0) + " X " + near + " " + far +
         " " + far + " 0-7\n" + n(1) + " " + near + " X " + far + " " + far + " 0-7\n" + n(2) + " " + far + " " + far +
         " X " + near + " 8-15\n" + n(3) + " " + far + " " + far + " " + near + " X 8-15\n";
}
constexpr const char* kTiles =
    "         GPU 0/0  GPU 0/1  GPU 1/0  GPU 1/1  CPU Affinity\nGPU 0/0  S        MDF      XL8      XL*      0-7\n"
    "GPU 0/1  MDF      S        XL*      XL8      0-7\nGPU 1/0  XL8      XL*      S        MDF      8-15\n"
    "GPU 1/1  XL*      XL8      MDF      S        8-15\n";

/// Processors alone, as hwloc describes them: two packages with two NUMA domains each.
constexpr const char* kProcessors = R"(<?xml version="1.0"?><topology version="2.0"><object type="Machine" os_index="0">
<object type="Package" os_index="0">
<object type="Die" os_index="0"><object type="NUMANode" os_index="0" local_memory="1024"/>
<object type="Core" os_index="0"><object type="PU" os_index="0"/></object>
<object type="Core" os_index="1"><object type="PU" os_index="1"/></object></object>
<object type="Die" os_index="1"><object type="NUMANode" os_index="1" local_memory="1024"/>
<object type="Core" os_index="2"><object type="PU" os_index="2"/></object></object></object>
<object type="Package" os_index="1"><object type="NUMANode" os_index="2" local_memory="1024"/>
<object type="Core" os_index="3"><object type="PU" os_index="3"/></object>
<object type="Core" os_index="4"><object type="PU" os_index="4"/></object></object>
</object></topology>)";

/// A machine joined to itself with measured rates, as `node.txt+rates.txt` joins it.
Topology with_measured_rates(const Topology& node, Random& random) {
  const std::size_t n = node.place_count();
  TopologyBuilder rates("rates");
  for (std::size_t p = 0; p < n; ++p) {
    const Vertex& place = node.vertex_of(Place(p));
    rates.add_place(node.place(Place(p)).kind,
                    rates.add_vertex({.kind = place.kind, .name = place.name, .pci = place.pci}));
  }
  std::vector<double> values(n * n, 0.0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      values[a * n + b] = values[b * n + a] = 1e9 * (1 + random.below(200));
      rates.set_class(Place(a), Place(b), {PathKind::measured, static_cast<int>(1 + random.below(4))});
    }
  }
  rates.set_pair_matrix(Metric::bandwidth, {.values = std::move(values), .source = "measured"});
  return merge(node, std::move(rates).build());
}

/// The same machine, of which some pairs have no peer access.
Topology without_some_access(const Topology& node, Random& random) {
  TopologyBuilder builder(node);
  for (std::size_t a = 0; a < node.place_count(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (random.below(3) == 0) builder.refuse_peer_access(Place(a), Place(b));
    }
  }
  return std::move(builder).build();
}

/// Descriptions by name ("f:3", "n:17"), as the words of `cluster:` name them.
class Pool {
 public:
  Pool() {
    for (const char* fabric :
         {"tree:2", "tree:3", "tree:2:2", "tree:2:3@1:10", "tree:2:2:2", "tree:1:4", "torus:2x2", "torus:3x3@10GB/s",
          "torus:2x2x2", "mesh:4", "mesh:2x3@25GB/s", "dragonfly:1:2:1", "dragonfly:2:2:1@5GB/s"})
      add_fabric(read_topology(fabric));
    for (const char* text : {kSlurmTree, kSlurmBlocks, kRails, kLabels, kGraph, kRacks, kAddresses, kLinkInfo})
      add_fabric(read_topology_text("fabric", text));
    add_fabric(read_corpus("ibnetdiscover/opensm-16-hosts.txt"));
    add_fabric(read_corpus("ibnetdiscover/ibsim-2switch-4hca.net"));
    add_nodes();
    Random random(5);
    for (std::size_t n = nodes.size(); n-- > 0;) {
      if (n % 3 == 0) add_node(with_measured_rates(nodes[n], random));
      if (n % 3 == 1) add_node(topology_from_json("saved", to_json(nodes[n])));
      if (n % 3 == 2) add_node(without_some_access(nodes[n], random));
    }
  }

  [[nodiscard]] Topology read(const std::string& name) const {
    const std::size_t number = std::stoul(name.substr(2));
    return name[0] == 'f' ? fabrics.at(number) : nodes.at(number);
  }

  std::vector<Topology> fabrics;
  std::vector<Topology> nodes;
  std::vector<std::vector<std::string>> hosts;  ///< by fabric

 private:
  static Topology read_corpus(const char* file) { return read_topology(*test::corpus_file(file)); }

  void add_fabric(Topology fabric) {
    std::vector<std::string> names;
    for (std::size_t p = 0; p < fabric.place_count(); ++p) names.push_back(fabric.vertex_of(Place(p)).name);
    hosts.push_back(std::move(names));
    fabrics.push_back(std::move(fabric));
  }
  void add_node(Topology node) {
    constexpr std::size_t kMostPlaces = 16;
    if (node.place_count() <= kMostPlaces) nodes.push_back(std::move(node));
  }
  void add_nodes() {
    for (const Preset& preset : presets()) add_node(read_preset(preset.name));
    add_node(read_topology_text("npu-smi", vendors_table("NPU", "HCCS", "SYS")));
    add_node(read_topology_text("npu-smi", vendors_table("NPU", "HCCS_SW", "HCCS_SW")));
    add_node(read_topology_text("npu-smi", vendors_table("Phy-ID", "SIO", "HCCS")));
    add_node(read_topology_text("mx-smi", vendors_table("GPU", "MX", "NODE")));
    add_node(read_topology_text("mthreads-gmi", vendors_table("GPU", "MT2", "PHB")));
    add_node(read_topology_text("xpu-smi", kTiles));
    for (const char* node : {"tree:2", "tree:2:2", "tree:2:4@1:10", "tree:2:1:3", "torus:2x2", "torus:4@20GB/s",
                             "mesh:4", "mesh:2x3@50GB/s", "dragonfly:1:2:1", "live"})
      add_node(read_topology(node));
    add_node(read_topology_text("processors.xml", kProcessors));
    add_node(read_topology_text("rates.txt", "0 12 25\n12 0 25\n25 25 0\n"));
    for (const char* file : {"hwloc-xml/gb10-dgx-spark.xml",
                             "hwloc-xml/mi250x-8gcd-tioga.xml",
                             "hwloc-xml/p100-2-pascal.xml",
                             "hwloc-xml/p100-4-power8-nvlink.xml",
                             "hwloc-xml/t4-8-g4dn-metal.xml",
                             "hwloc-xml/v100-4-lassen.xml",
                             "lspci/esc8000a-4xrtx6000ada.lspci-tv.txt",
                             "nccl-log/h200-8x-vm.log",
                             "nccl-xml/mi210-3-pcie.xml",
                             "nccl-xml/mi250-8gcd-rccl.xml",
                             "nccl-xml/mi300a-4-rccl.xml",
                             "nccl-xml/mi50-8-rome-shuffled.xml",
                             "nccl-xml/oci-h100-full-dump.xml",
                             "nccl-xml/rtx4090-4-61virtual-nets.xml",
                             "nccl-xml/aws-g5-48xl.xml",
                             "nccl-xml/azure-ncv4-4xa100.xml",
                             "nvidia-smi-topo/a100-4x-one-bridge-pair.txt",
                             "nvidia-smi-topo/azure-nc96-4xa100-4numa.txt",
                             "nvidia-smi-topo/dgx1-v100-indented.txt",
                             "nvidia-smi-topo/h200-8x-10nic-ansi.txt",
                             "nvidia-smi-topo/mixed-5gpu-asymmetric.txt",
                             "nvidia-smi-topo/polaris-4xa100-markdown.md",
                             "nvidia-smi-topo/k80-4boards-8gpu.txt",
                             "p2p-bandwidth/aurora-pvc-12tiles.txt",
                             "p2p-bandwidth/azure-nc96-4xa100.p2p.txt",
                             "rocm-smi/mi210-4-archer2.showtopo.txt",
                             "rocm-smi/mi250x-8-lumi.showtoponuma.txt",
                             "rocm-smi/mi300x-8.amd-smi-topology.txt"})
      add_node(read_corpus(file));
  }
};

/// Draws the words of a cluster: some hosts of a fabric, with one description or two.
std::string draw_cluster(const Pool& pool, Random& random) {
  const std::size_t fabric = random.below(static_cast<std::uint32_t>(pool.fabrics.size()));
  const auto node = [&] { return "n:" + std::to_string(random.below(static_cast<std::uint32_t>(pool.nodes.size()))); };
  std::vector<std::string> hosts = pool.hosts[fabric];
  random.shuffle(std::span(hosts));
  hosts.resize(std::min<std::size_t>(hosts.size(), 2 + random.below(3)));
  std::string words = "f:" + std::to_string(fabric);
  if (random.below(3) == 0) words += "," + hosts[0] + "=" + node();
  words += "," + node();
  if (random.below(4) == 0) words += ",nic=50GB/s";
  words += ",hosts=";
  for (std::size_t h = 0; h < hosts.size(); ++h) words += (h > 0 ? "," : "") + hosts[h];
  return words;
}

/// Leaves out some places, as a job that has only a part of its nodes.
Topology part_of(const Topology& machine, Random& random) {
  std::vector<PlaceIdentity> keep;
  for (std::size_t p = 0; p < machine.place_count(); ++p) {
    if (random.below(4) != 0) keep.push_back({Place(p), {}, {}});
  }
  return keep.size() < 2 ? machine : with_places(machine, keep);
}

/// The network switches, or routers, that a route crosses.
std::size_t switches_on(const Topology& machine, const std::vector<LinkId>& route) {
  return static_cast<std::size_t>(std::ranges::count_if(
      route, [&](LinkId link) { return machine.vertex(machine.link(link).to).kind == VertexKind::network_switch; }));
}

/// The first pair that contradicts the order, in words; empty if there is none.
std::string breach(const Topology& machine) {
  const std::size_t n = machine.place_count();
  std::vector<std::string> node;
  for (std::size_t p = 0; p < n; ++p) node.push_back(node_name(machine, machine.place(Place(p)).vertex));
  const auto name = [&](std::size_t a, std::size_t b) {
    return machine.vertex_of(Place(a)).name + " - " + machine.vertex_of(Place(b)).name + " " +
           to_string(machine.path_class(Place(a), Place(b)));
  };
  std::vector<std::size_t> crossed(n * n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    std::optional<std::size_t> farthest_inside;
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      const PathClass path = machine.path_class(Place(a), Place(b));
      const std::vector<LinkId> route = machine.route(Place(a), Place(b));
      crossed[a * n + b] = switches_on(machine, route);
      const bool leaves = node[a] != node[b];
      if (path.kind == PathKind::network && static_cast<std::size_t>(path.grade) > crossed[a * n + b])
        return name(a, b) + " crosses fewer switches than its class says";
      if (!leaves && crossed[a * n + b] > 0) return name(a, b) + " leaves the node";
      if (leaves && crossed[a * n + b] == 0 && !is_bond(path) && path.kind != PathKind::unconnected)
        return name(a, b) + " crosses no switch";
      if (!leaves && !is_bond(path) && path.kind != PathKind::unconnected &&
          (!farthest_inside || machine.level(Place(a), Place(b)) > machine.level(Place(a), Place(*farthest_inside))))
        farthest_inside = b;
    }
    for (std::size_t b = 0; b < n && farthest_inside; ++b) {
      if (a == b || node[a] == node[b] || is_bond(machine.path_class(Place(a), Place(b)))) continue;
      const Place here(a);
      const Place inside(*farthest_inside);
      const Place outside(b);
      if (machine.level(here, inside) >= machine.level(here, outside) ||
          machine.distance(here, inside) >= machine.distance(here, outside) ||
          machine.pair_cost(Metric::hops, here, inside) >= machine.pair_cost(Metric::hops, here, outside))
        return name(a, *farthest_inside) + " inside is not nearer than " + name(a, b);
    }
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t c = 0; c < n; ++c) {
        if (crossed[a * n + b] != 1 || crossed[a * n + c] < 2) continue;
        if (machine.level(Place(a), Place(b)) >= machine.level(Place(a), Place(c)) ||
            machine.pair_cost(Metric::hops, Place(a), Place(b)) >= machine.pair_cost(Metric::hops, Place(a), Place(c)))
          return name(a, b) + " under one switch is not nearer than " + name(a, c);
      }
    }
  }
  return contradiction_in(machine);
}

/// Checks `count` random compositions.
void check_compositions(std::uint64_t seed, int count) {
  const Pool pool;
  Random random(seed);
  std::map<std::size_t, std::size_t> nodes_seen;
  for (int round = 0; round < count; ++round) {
    const std::string words = draw_cluster(pool, random);
    CAPTURE(words);
    Topology machine = read_cluster(words, [&](const std::string& name) { return pool.read(name); });
    if (random.below(4) == 0) machine = part_of(machine, random);
    if (random.below(8) == 0) machine = topology_from_json("saved", to_json(machine));
    REQUIRE(breach(machine) == "");
  }
}

}  // namespace

TEST_CASE("compositions: every place of a measured matrix reaches the network; a node with gaps is refused") {
  const auto read = [](const std::string& name) {
    if (name == "f:0") return read_topology("tree:2");
    if (name == "n:2")
      return read_topology_text(
          name,
          "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D     0      1      2\n"
          "     0 900.1 19.5 9\n     1 19.5 901.2 9\n     2 9 9 900\n");
    return read_topology_text(
        name, name == "n:0" ? "0 12 25\n12 0 25\n25 25 0\n"
                            : R"({"schema": "topowise.topology/1", "places": [{"kind": "gpu"}, {"kind": "gpu"}]})");
  };
  for (const std::string words : {"f:0,n:0", "f:0,n:2"}) {
    CAPTURE(words);
    const Topology cluster = read_cluster(words, read);
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 3; b < 6; ++b) CHECK(to_string(cluster.path_class(Place(a), Place(b))) == "NET1");
    }
    CHECK(to_string(cluster.path_class(Place(0), Place(1))).starts_with("M"));
  }
  CHECK_THROWS_AS((void)read_cluster("f:0,n:1", read), Error);
}

TEST_CASE("compositions: inside a node is nearer than outside it, under one switch nearer than across it") {
  check_compositions(1, 1000);
}

TEST_CASE("nodes on the networks of large machines keep the order" * doctest::test_suite("wide")) {
  Random random(3);
  for (const char* fabric :
       {"preset:frontier-network", "preset:aurora-network", "preset:tpu-v5p-pod", "torus:12x12x12"}) {
    const Topology network = read_topology(fabric);
    for (const char* node : {"preset:mi250x", "preset:aurora-pvc", "tree:2:2"}) {
      std::string words = "f," + std::string(node) + ",hosts=";
      for (int host = 0; host < 6; ++host) words += (host > 0 ? ",h" : "h") + std::to_string(host);
      CAPTURE(fabric);
      CAPTURE(node);
      const Topology machine =
          read_cluster(words, [&](const std::string& name) { return name == "f" ? network : read_topology(name); });
      CHECK(breach(part_of(machine, random)) == "");
    }
  }
}

TEST_CASE("compositions: ten thousand of them" * doctest::test_suite("wide")) {
  check_compositions(2, 10'000);
}
