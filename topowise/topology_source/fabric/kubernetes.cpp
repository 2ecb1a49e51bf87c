// SPDX-License-Identifier: BSD-3-Clause
// `kubectl get nodes -o json`: a list of nodes, or one node. Labels say in which zone, block, switch and domain of
// NVLink a node is. Their keys are those of topograph (docs.nvidia.com/topograph, node labels and annotations), of the
// clouds (docs.aws.amazon.com/eks, cloud.google.com/kubernetes-engine, docs.oracle.com, docs.coreweave.com,
// docs.nebius.com), and the examples of Kueue. A site's own keys are known if the list also has its Topology of Kueue
// (kueue.sigs.k8s.io): `kubectl get nodes,topologies.kueue.x-k8s.io -o json`.
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
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
    Label{"oci.oraclecloud.com/host.network_block_id", "Oracle Cloud's hosts", 0},
    Label{"oci.oraclecloud.com/host.rack_id", "Oracle Cloud's hosts", 1},
    Label{"backend.coreweave.cloud/fabric", "CoreWeave", 0},
    Label{"backend.coreweave.cloud/superpod", "CoreWeave", 1},
    Label{"backend.coreweave.cloud/leafgroup", "CoreWeave", 2},
    Label{"ib.coreweave.cloud/fabric", "CoreWeave", 0},
    Label{"ib.coreweave.cloud/superpod", "CoreWeave", 1},
    Label{"ib.coreweave.cloud/leafgroup", "CoreWeave", 2},
    Label{"topology.nebius.com/gpu-cluster-id", "Nebius", -kMostTiers},
    Label{"topology.nebius.com/tier-#", "Nebius", 0, -1},
    Label{"cloud.provider.com/topology-block", "Kueue", 0},
    Label{"cloud.provider.com/topology-rack", "Kueue", 1},
};
/// The second names are those before Kubernetes 1.17.
constexpr std::array<std::string_view, 2> kRegions{"topology.kubernetes.io/region",
                                                   "failure-domain.beta.kubernetes.io/region"};
constexpr std::array<std::string_view, 2> kZones{"topology.kubernetes.io/zone",
                                                 "failure-domain.beta.kubernetes.io/zone"};
/// Domains of NVLink, the first that a node has. The last one is that of the GPU operator.
constexpr std::array<std::string_view, 5> kDomains{
    "accelerator.topograph.run/domain", "network.topology.nvidia.com/accelerator", "topology.k8s.aws/ultraserver-id",
    "ds.coreweave.com/nvlink.domain", "nvidia.com/gpu.clique"};
/// Racks and the like within a domain, which GPUs reach by NVLink all the same.
constexpr std::string_view kSubDomain = "accelerator.topograph.run/sub-domain";
constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kOfKueue = "the site's Topology of Kueue";

/// Taints of nodes that take no programs of users, by the beginnings of their keys. Others keep a kind of node for
/// those that ask for it, as nvidia.com/gpu does.
constexpr std::array<std::string_view, 4> kTaints{"node.kubernetes.io/", "node.cloudprovider.kubernetes.io/",
                                                  "node-role.kubernetes.io/control-plane",
                                                  "node-role.kubernetes.io/master"};

/// The region and the zone are outside of all families.
constexpr std::string_view kOutside;
constexpr int kRegionDepth = -2 * kMostTiers;
constexpr int kZoneDepth = kRegionDepth + 1;

struct Level {
  std::string_view family;
  int depth = 0;
  std::string value;
};

struct Node {
  std::string name;
  std::string domain;  ///< of NVLink
  std::size_t domain_key = kDomains.size();
  std::vector<Level> levels;
  std::string away;       ///< why it takes no programs; empty if it does
  bool is_other = false;  ///< no node, but another item of the list
};

/// A condition or a taint of a node, whose members come in any order.
struct Member {
  std::string name;   ///< its type or key
  std::string value;  ///< its status or effect
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

/// Where the members of an item begin in the path; an object without a list is the item itself.
std::size_t member_at(const JsonPath& path) {
  return path.key(0) == "items" ? 2 : 0;
}

/// Finds the keys of labels that a Topology of Kueue names, from the outside to the inside.
class LevelsVisitor : public JsonVisitor {
 public:
  std::deque<std::string> keys;
  std::vector<std::string> others;  ///< names of further Topologies

  void begin(const JsonPath& path) override {
    if (path.size() == member_at(path)) found_ = {};
  }
  void end(const JsonPath& path) override {
    if (path.size() != member_at(path) || found_.levels.empty()) return;
    if (keys.empty())
      keys = std::move(found_.levels);
    else if (found_.levels != keys && others.size() < kMostNamed)
      others.push_back(std::move(found_.name));
    found_ = {};
  }
  void scalar(const JsonPath& path, const JsonScalar& value) override {
    const std::size_t at = member_at(path);
    if (path.size() == at + 2 && path.key(at) == "metadata" && path.key(at + 1) == "name")
      found_.name = printable(value.text.substr(0, kLongestValue));
    const bool is_level = path.size() == at + 4 && path.key(at) == "spec" && path.key(at + 1) == "levels";
    if (!is_level || path.key(at + 3) != "nodeLabel" || value.text == kHostname) return;
    if (found_.levels.size() == kMostTiers) fail(fmt::format("more than {} levels", kMostTiers));
    found_.levels.emplace_back(value.text.substr(0, kLongestValue));
  }

 private:
  static constexpr std::size_t kMostNamed = 16;
  struct Found {
    std::string name;
    std::deque<std::string> levels;
  };
  Found found_;
};

class NodesVisitor : public JsonVisitor {
 public:
  /// `site`: the keys of the site's own levels, in place of all that are known; may be empty.
  explicit NodesVisitor(const std::deque<std::string>& site) : has_site_(!site.empty()) {
    for (const std::string& key : site) own_.push_back({key, kOfKueue, static_cast<int>(own_.size())});
    labels_ = has_site_ ? std::span<const Label>(own_) : std::span<const Label>(kLabels);
  }
  std::deque<Node> nodes;       ///< those that a label locates
  std::size_t lost = 0;         ///< how many others there are
  std::string example;          ///< the name of one of them
  std::size_t sub_domains = 0;  ///< how many nodes have one
  NodesLeftOut left_out;

  void begin(const JsonPath& path) override {
    if (begins_node(path)) node_ = {};
    if (is_condition(path) || is_taint(path)) member_ = {};
  }
  void end(const JsonPath& path) override {
    if (is_condition(path) && member_.name == "Ready" && member_.value != "True" && node_.away.empty())
      node_.away = "not Ready";
    if (is_taint(path)) end_taint();
    if (!begins_node(path)) return;
    if (node_.name.empty()) {
      if (path.size() == 2) fail("a node without metadata.name");
      return;
    }
    if (nodes.size() == kMostNodes) fail(fmt::format("more than {} nodes", kMostNodes));
    if (!node_.away.empty())
      left_out.add(node_.away, node_.name);
    else if (node_.is_other)
      node_ = {};
    else if (!node_.levels.empty() || !node_.domain.empty())
      nodes.push_back(std::move(node_));
    else if (lost++ == 0)
      example = printable(node_.name.substr(0, kLongestValue));
    node_ = {};  // the end of the list comes here, too
  }
  void scalar(const JsonPath& path, const JsonScalar& value) override {
    const std::size_t metadata = member_at(path);
    if (path.size() == metadata + 1 && path.key(metadata) == "kind" && value.text != "Node" && metadata > 0)
      node_.is_other = true;
    if (is_member(path, "spec", "unschedulable", 2) && value.kind == JsonScalar::Kind::boolean && value.number == 1)
      node_.away = "unschedulable";
    if (is_member(path, "status", "conditions", 4) || is_member(path, "spec", "taints", 4)) {
      const std::string_view key = path.key(metadata + 3);
      if (key == "type" || key == "key") member_.name = printable(value.text.substr(0, kLongestValue));
      if (key == "status" || key == "effect") member_.value = value.text.substr(0, kLongestValue);
    }
    if (path.key(metadata) != "metadata") return;
    if (path.size() == metadata + 2 && path.key(metadata + 1) == "name")
      node_.name = printable(value.text.substr(0, kLongestValue));
    if (path.size() == metadata + 3 && path.key(metadata + 1) == "labels") label(path.key(metadata + 2), value.text);
  }

 private:
  static bool is_member(const JsonPath& path, std::string_view part, std::string_view name, std::size_t depth) {
    const std::size_t at = member_at(path);
    return path.size() == at + depth && path.key(at) == part && path.key(at + 1) == name;
  }
  static bool is_condition(const JsonPath& path) { return is_member(path, "status", "conditions", 3); }
  static bool is_taint(const JsonPath& path) { return is_member(path, "spec", "taints", 3); }

  void end_taint() {
    const bool for_all =
        std::ranges::any_of(kTaints, [&](std::string_view key) { return member_.name.starts_with(key); });
    if (for_all && (member_.value == "NoSchedule" || member_.value == "NoExecute") && node_.away.empty())
      node_.away = fmt::format("tainted {}", member_.name);
  }

  /// An item of a list, or the whole if that is one node.
  static bool begins_node(const JsonPath& path) {
    return path.size() == 0 || (path.size() == 2 && path.key(0) == "items");
  }

  void label(std::string_view key, std::string_view text) {
    if (text.empty()) return;
    const std::string value = printable(text.substr(0, kLongestValue));
    const auto is_one_of = [&](const auto& keys) { return std::ranges::find(keys, key) != keys.end(); };
    if (!has_site_ && is_one_of(kRegions)) node_.levels.push_back({kOutside, kRegionDepth, value});
    if (!has_site_ && is_one_of(kZones)) node_.levels.push_back({kOutside, kZoneDepth, value});
    sub_domains += key == kSubDomain ? 1 : 0;
    const auto domain = static_cast<std::size_t>(std::ranges::find(kDomains, key) - kDomains.begin());
    if (domain < node_.domain_key) {
      node_.domain_key = domain;
      node_.domain = value;
    }
    for (const Label& known : labels_)
      if (const std::optional<int> depth = depth_of(known, key)) node_.levels.push_back({known.family, *depth, value});
  }

  bool has_site_;
  std::vector<Label> own_;
  std::span<const Label> labels_;
  Node node_;
  Member member_;
};

/// The family that is used: the first of the table that a node has. Others are named in a warning.
std::string_view family_of(const std::string& where, const std::deque<Node>& nodes, Warnings& warnings) {
  std::set<std::string_view> found;
  for (const Node& node : nodes)
    for (const Level& level : node.levels) found.insert(level.family);
  if (found.contains(kOfKueue)) return kOfKueue;
  std::string_view chosen;
  for (const Label& label : kLabels) {
    if (!found.contains(label.family)) continue;
    if (chosen.empty()) chosen = label.family;
    if (label.family == chosen || !found.erase(label.family)) continue;
    warnings.add(fmt::format("{}: the labels of {} are used, those of {} are not", where, chosen, label.family));
  }
  return chosen;
}

/// What the node is in, from the outside to the inside, without its domain of NVLink.
std::vector<std::string> path_of(const Node& node, std::string_view family) {
  std::vector<const Level*> levels;
  for (const Level& level : node.levels)
    if (level.family == kOutside || level.family == family) levels.push_back(&level);
  std::ranges::stable_sort(levels, {}, &Level::depth);
  std::vector<std::string> path;
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (i == 0 || levels[i]->depth != levels[i - 1]->depth) path.push_back(levels[i]->value);
  return path;
}

/// Warns of nodes of which only the zone is known.
void warn_of_zones(const std::string& where, const std::deque<Node>& nodes, std::string_view family,
                   Warnings& warnings) {
  const auto is_only_zone = [&](const Node& node) {
    const auto says_more = [&](const Level& level) { return !family.empty() && level.family == family; };
    return node.domain.empty() && std::ranges::none_of(node.levels, says_more);
  };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(nodes, is_only_zone));
  if (count == 0) return;
  const std::string nodes_of = family.empty() ? std::string() : fmt::format(" without a label of {}", family);
  warnings.add(
      fmt::format("{}: of {}{} only region and zone count, such as {}: those of one zone are taken to be on one "
                  "switch",
                  where, counted(count, "node"), nodes_of, in_quotes(std::ranges::find_if(nodes, is_only_zone)->name)));
}

NetworkTree tree_of(const std::string& where, NodesVisitor& found, Warnings& warnings) {
  if (found.nodes.empty() && found.lost == 0)
    fail({where, {}, found.left_out.why_none(), {}, "kubectl get nodes -o json > FILE"});
  if (found.nodes.empty())
    fail({where,
          {},
          "no node has a label that says where it is in the network",
          {},
          "topograph, the clouds and Kueue set such labels: docs/formats/clusters.md lists them"});
  const std::string_view family = family_of(where, found.nodes, warnings);
  warn_of_zones(where, found.nodes, family, warnings);
  std::vector<LocatedHost> hosts;
  for (; !found.nodes.empty(); found.nodes.pop_front()) {
    Node& node = found.nodes.front();
    hosts.push_back({std::move(node.name), path_of(node, family), std::move(node.domain)});
  }
  NetworkTree tree = tree_of_hosts(where, hosts, warnings);
  if (found.lost > 0)
    warnings.add(fmt::format("{}: {} without a label that says where it is, such as {}: left out", where,
                             counted(found.lost, "node"), in_quotes(found.example)));
  if (found.sub_domains > 0) warnings.add(fmt::format("{}: the labels {} are not used", where, in_quotes(kSubDomain)));
  found.left_out.report(where, warnings);
  return tree;
}

bool recognises(std::string_view head) {
  const std::string_view begin = trim(head);
  if (!begin.starts_with('{') || begin.find("\"metadata\"") == std::string_view::npos) return false;
  return std::ranges::any_of(
      std::array{R"("kind": "Node")", R"("kind":"Node")", R"("kind": "NodeList")", R"("kind":"NodeList")"},
      [&](std::string_view mark) { return begin.find(mark) != std::string_view::npos; });
}

Topology read(const std::string& where, std::string_view text) {
  Warnings warnings;
  LevelsVisitor levels;
  if (text.find("\"nodeLabel\"") != std::string_view::npos) {
    Input input = Input::of_text(where, text);
    read_json_events(input, levels);
    for (const std::string& other : levels.others)
      warnings.add(fmt::format("{}: the Topology {} is not used, only the first", where, in_quotes(other)));
  }
  Input input = Input::of_text(where, text);
  NodesVisitor visitor(levels.keys);
  read_json_events(input, visitor);
  return build_topology(where, tree_of(where, visitor, warnings), kSource, warnings);
}

}  // namespace

const TopologyFormat kKubernetesFormat{"kubernetes",
                                       "the nodes of Kubernetes with their labels: kubectl get nodes -o json",
                                       recognises, read, kLargestCluster};

}  // namespace topowise
