// SPDX-License-Identifier: BSD-3-Clause
// `kubectl get nodes -o json`: a list of nodes, or one node. Labels say in which zone, block, switch and domain of
// NVLink a node is. Their keys are those of topograph (docs.nvidia.com/topograph, node labels and annotations), of the
// clouds, and the examples of Kueue (kueue.sigs.k8s.io, topology aware scheduling).
#include <topowise/topology_source/fabric/kubernetes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/json_events.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/fabric/network_tree.hpp>
#include <topowise/topology_source/fabric/path_tree.hpp>

namespace topowise {
namespace {

constexpr std::string_view kSource = "kubernetes";
constexpr std::size_t kMostNodes = std::size_t{1} << 20;
constexpr std::size_t kMostSwitches = std::size_t{1} << 16;
constexpr std::size_t kLongestValue = 256;
constexpr int kMostTiers = 32;

/// A label that says where a node is. Of each family only one is used: the first in this order that a node has.
struct Label {
  std::string_view key;  ///< with '#' for a number
  std::string_view family;
  int depth;          ///< from the outside to the inside; of a key with a number it is added
  int of_number = 0;  ///< 1 if greater numbers are further inside, -1 if they are further outside
};

constexpr std::array kLabels{
    Label{"fabric.topograph.run/tier-#", "topograph", 0, -1},
    Label{"network.topology.nvidia.com/core", "topograph", 0},
    Label{"network.topology.nvidia.com/datacenter", "topograph", 0},
    Label{"network.topology.nvidia.com/spine", "topograph", 1},
    Label{"network.topology.nvidia.com/leaf", "topograph", 2},
    Label{"network.topology.nvidia.com/block", "topograph", 2},
    Label{"topology.k8s.aws/network-node-layer-#", "AWS", 0, 1},
    Label{"cloud.google.com/gce-topology-block", "Google Cloud", 0},
    Label{"cloud.google.com/gce-topology-subblock", "Google Cloud", 1},
    Label{"cloud.google.com/gce-topology-host", "Google Cloud", 2},
    Label{"oci.oraclecloud.com/rdma.hpc_island_id", "Oracle Cloud", 0},
    Label{"oci.oraclecloud.com/rdma.network_block_id", "Oracle Cloud", 1},
    Label{"oci.oraclecloud.com/rdma.local_block_id", "Oracle Cloud", 2},
    Label{"cloud.provider.com/topology-block", "Kueue", 0},
    Label{"cloud.provider.com/topology-rack", "Kueue", 1},
};
constexpr std::string_view kRegion = "topology.kubernetes.io/region";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
/// Domains of NVLink, the first that a node has. The last one is that of the GPU operator.
constexpr std::array<std::string_view, 3> kDomains{"accelerator.topograph.run/domain",
                                                   "network.topology.nvidia.com/accelerator", "nvidia.com/gpu.clique"};

struct Node {
  std::string name;
  std::string region;
  std::string zone;
  std::array<std::string, kDomains.size()> domains;
  std::map<std::pair<std::string_view, int>, std::string> levels;  ///< (family, depth): the value

  [[nodiscard]] std::string domain() const {
    const auto known = std::ranges::find_if(domains, [](const std::string& value) { return !value.empty(); });
    return known == domains.end() ? std::string() : *known;
  }
  [[nodiscard]] bool is_located() const {
    return !region.empty() || !zone.empty() || !levels.empty() || !domain().empty();
  }
};

/// The depth that a label's key gives; nothing if it is another key.
std::optional<int> depth_of(const Label& label, std::string_view key) {
  if (label.of_number == 0) return key == label.key ? std::optional(label.depth) : std::nullopt;
  const std::string_view prefix = label.key.substr(0, label.key.size() - 1);
  if (!key.starts_with(prefix)) return std::nullopt;
  const std::optional<std::int64_t> number = parse_integer(key.substr(prefix.size()));
  if (!number || *number < 0 || *number >= kMostTiers) return std::nullopt;
  return label.depth + label.of_number * static_cast<int>(*number);
}

class NodesVisitor : public JsonVisitor {
 public:
  std::vector<Node> nodes;

  void begin(const JsonPath& path) override {
    if (begins_node(path)) node_ = {};
  }
  void end(const JsonPath& path) override {
    if (!begins_node(path)) return;
    if (node_.name.empty()) {
      if (path.size() == 2) fail("a node without metadata.name");
      return;
    }
    if (nodes.size() == kMostNodes) fail(fmt::format("more than {} nodes", kMostNodes));
    nodes.push_back(std::move(node_));
  }
  void scalar(const JsonPath& path, const JsonScalar& value) override {
    const std::size_t metadata = path.key(0) == "items" ? 2 : 0;
    if (path.key(metadata) != "metadata") return;
    if (path.size() == metadata + 2 && path.key(metadata + 1) == "name") node_.name = value.text;
    if (path.size() == metadata + 3 && path.key(metadata + 1) == "labels") label(path.key(metadata + 2), value.text);
  }

 private:
  /// An item of a list, or the whole if that is one node.
  static bool begins_node(const JsonPath& path) {
    return path.size() == 0 || (path.size() == 2 && path.key(0) == "items");
  }

  void label(std::string_view key, std::string_view text) {
    if (text.empty()) return;
    const std::string value = printable(text.substr(0, kLongestValue));
    if (key == kRegion) node_.region = value;
    if (key == kZone) node_.zone = value;
    if (const auto domain = std::ranges::find(kDomains, key); domain != kDomains.end())
      node_.domains[static_cast<std::size_t>(domain - kDomains.begin())] = value;
    for (const Label& known : kLabels)
      if (const std::optional<int> depth = depth_of(known, key)) node_.levels[{known.family, *depth}] = value;
  }

  Node node_;
};

/// The family that is used: the first of the table that a node has. Others are named in a warning.
std::string_view family_of(const std::string& where, const std::vector<Node>& nodes, Warnings& warnings) {
  std::set<std::string_view> found;
  for (const Node& node : nodes)
    for (const auto& [level, value] : node.levels) found.insert(level.first);
  std::string_view chosen;
  for (const Label& label : kLabels) {
    if (!found.contains(label.family)) continue;
    if (chosen.empty()) chosen = label.family;
    if (label.family == chosen || !found.erase(label.family)) continue;
    warnings.add(fmt::format("{}: the labels of {} are used, those of {} are not", where, chosen, label.family));
  }
  return chosen;
}

std::vector<std::string> path_of(const Node& node, std::string_view family) {
  std::vector<std::string> path;
  for (const std::string& outside : {node.region, node.zone})
    if (!outside.empty()) path.push_back(outside);
  for (const auto& [level, value] : node.levels)
    if (level.first == family) path.push_back(value);
  return path;
}

/// Domains of NVLink lie inside of the other levels. Warns of each whose nodes are below several switches: it is no
/// level of the tree, and is left out.
std::set<std::string> domains_of(const std::string& where, const std::vector<Node>& nodes, std::string_view family,
                                 Warnings& warnings) {
  std::map<std::string, std::vector<std::string>> path_of_domain;
  std::set<std::string> split;
  for (const Node& node : nodes) {
    if (node.domain().empty()) continue;
    const std::vector<std::string> path = path_of(node, family);
    const auto [at, is_new] = path_of_domain.try_emplace(node.domain(), path);
    if (!is_new && at->second != path) split.insert(node.domain());
  }
  std::set<std::string> kept;
  for (const auto& [domain, path] : path_of_domain) {
    if (!split.contains(domain))
      kept.insert(domain);
    else
      warnings.add(fmt::format("{}: the nodes of accelerator domain {} are below different switches; it is left out",
                               where, in_quotes(domain)));
  }
  return kept;
}

NetworkTree tree_of(const std::string& where, const std::vector<Node>& nodes, Warnings& warnings) {
  const std::string_view family = family_of(where, nodes, warnings);
  const std::set<std::string> domains = domains_of(where, nodes, family, warnings);
  PathTree tree;
  std::vector<std::string> lost;
  std::set<std::string> names;
  for (const Node& node : nodes) {
    const std::string name = printable(node.name.substr(0, kLongestValue));
    if (!node.is_located()) {
      lost.push_back(name);
      continue;
    }
    if (!names.insert(name).second) fail({where, {}, fmt::format("node {} is listed twice", in_quotes(name)), {}, {}});
    std::vector<std::string> path = path_of(node, family);
    if (domains.contains(node.domain())) path.push_back(node.domain());
    tree.add(name, path);
    if (tree.size() > kMostSwitches) fail({where, {}, fmt::format("more than {} switches", kMostSwitches), {}, {}});
  }
  if (names.empty())
    fail({where,
          {},
          "no node has a label that says where it is in the network",
          {},
          "topograph, the clouds and Kueue set such labels: docs/formats/clusters.md lists them"});
  if (!lost.empty())
    warnings.add(fmt::format("{}: {} without a label that says where it is, such as {}: left out", where,
                             counted(lost.size(), "node"), in_quotes(lost.front())));
  return std::move(tree).finish("network");
}

bool recognises(std::string_view head) {
  const std::string_view begin = trim(head);
  if (!begin.starts_with('{') || begin.find("\"metadata\"") == std::string_view::npos) return false;
  return std::ranges::any_of(
      std::array{R"("kind": "Node")", R"("kind":"Node")", R"("kind": "NodeList")", R"("kind":"NodeList")"},
      [&](std::string_view mark) { return begin.find(mark) != std::string_view::npos; });
}

Topology read(const std::string& where, std::string_view text) {
  Input input = Input::of_text(where, text);
  NodesVisitor visitor;
  read_json_events(input, visitor);
  if (visitor.nodes.empty()) fail({where, {}, "no nodes are listed", {}, "kubectl get nodes -o json > FILE"});
  Warnings warnings;
  return build_topology(where, tree_of(where, visitor.nodes, warnings), kSource, warnings);
}

}  // namespace

const TopologyFormat kKubernetesFormat{"kubernetes",
                                       "the nodes of Kubernetes with their labels: kubectl get nodes -o json",
                                       recognises, read, kLargestCluster};

}  // namespace topowise
