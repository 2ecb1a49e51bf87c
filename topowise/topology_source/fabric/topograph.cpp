// SPDX-License-Identifier: BSD-3-Clause
// What topograph writes and reads beside Slurm's files and the labels of Kubernetes (github.com/NVIDIA/topograph):
// - the answer of its engine `graph`, with the switches of each instance, the nearest first:
//     {"instances": [{"id": "I21", "network_layers": ["leaf-a", "spine-a"],
//                     "labels": {"accelerator.topograph.run/domain": "nvl-1"}}]}
// - the graph of an Ethernet network that NetQ gives it (`object/topologygraph/fetch-topology`), in which hosts are of
//   tier -1, and each link lists its cables:
//     [{"links": [{"id": "node12-*-node9", "src": "node9", "target": "node12", "size": 4, "compounded_links":
//         [{"interfaces": [{"node": "node9", "interface": "swp17s0"}, {"node": "node12", "interface":
//         "ens4f0np0"}]}]}],
//       "nodes": [{"compounded_nodes": [{"id": "node12", "name": "dgx-05", "tier": -1}]}]}]
// - the nodes of NVLink domains that NetQ gives it (`nmx/v1/compute-nodes`):
//     [{"Name": "node1", "DomainUUID": "3fbfc98b-..."}]
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/json_events.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/fabric/hostlist.hpp>
#include <topowise/topology_source/fabric/infiniband.hpp>
#include <topowise/topology_source/fabric/path_tree.hpp>

namespace topowise {
namespace {

constexpr std::string_view kSource = "topograph";
constexpr Origin kNetq{"NetQ"};
constexpr std::string_view kDomain = "accelerator.topograph.run/domain";
constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kHint = "the answer of topograph's engine graph, or what NetQ gives it";
constexpr std::size_t kLongest = 256;

bool says(std::string_view text, std::string_view mark) {
  return text.find(mark) != std::string_view::npos;
}

/// Where the members of the object begin in the path that is the text, or the only entry of its list.
std::size_t inside(const JsonPath& path) {
  return path.key(0).empty() ? 1 : 0;
}

std::string shown(const JsonScalar& value) {
  return printable(value.text.substr(0, kLongest));
}

/// Instances of the engine `graph`, or nodes of NVLink domains.
class HostsVisitor : public JsonVisitor {
 public:
  std::vector<LocatedHost> hosts;
  NodesLeftOut left_out;

  void begin(const JsonPath& path) override {
    if (is_instance(path) || is_node(path)) host_ = {};
    if (is_instance(path)) hostname_.clear();
  }
  void end(const JsonPath& path) override {
    if (!is_instance(path) && !is_node(path)) return;
    if (!hostname_.empty()) host_.name = hostname_;
    if (host_.name.empty()) fail(is_node(path) ? "a node without its Name" : "an instance without its id");
    if (hosts.size() == kMostHosts) fail(fmt::format("more than {} hosts", kMostHosts));
    if (host_.path.empty() && host_.domain.empty()) return left_out.add("of no switch and no domain", host_.name);
    std::ranges::reverse(host_.path);
    hosts.push_back(std::move(host_));
  }
  void scalar(const JsonPath& path, const JsonScalar& value) override {
    if (path.size() == 2 && path.key(0).empty()) {
      if (path.key(1) == "Name") host_.name = shown(value);
      if (path.key(1) == "DomainUUID") host_.domain = shown(value);
    }
    if (path.key(0) != "instances") return;
    if (path.size() == 3 && path.key(2) == "id") host_.name = shown(value);
    if (path.size() == 4 && path.key(2) == "network_layers" && !value.text.empty()) {
      if (host_.path.size() == kMostLayers) fail(fmt::format("more than {} switches above an instance", kMostLayers));
      host_.path.push_back(shown(value));
    }
    if (path.size() != 4 || path.key(2) != "labels") return;
    if (path.key(3) == kDomain) host_.domain = shown(value);
    if (path.key(3) == kHostname) hostname_ = shown(value);
  }

 private:
  static constexpr std::size_t kMostLayers = 32;
  static bool is_instance(const JsonPath& path) { return path.size() == 2 && path.key(0) == "instances"; }
  static bool is_node(const JsonPath& path) { return path.size() == 1 && path.key(0).empty(); }

  LocatedHost host_;
  std::string hostname_;  ///< of an instance, whose id may be another name
};

/// The devices and cables of NetQ. All texts are kept once, in `texts_`.
class NetqVisitor : public JsonVisitor {
 public:
  void begin(const JsonPath& path) override {
    if (is_entry(path) && entries_++ > 0) fail("several networks: only one can be read", "a file for each");
    if (is_device(path)) device_ = {};
    if (is_link(path)) link_ = {};
    if (is_cable(path)) ends_.clear();
    if (is_end(path) && ends_.size() == 2) fail("a cable with more than two ends");
    if (is_end(path)) ends_.emplace_back();
  }

  void end(const JsonPath& path) override {
    if (is_device(path)) end_device();
    if (is_cable(path) && ends_.size() == 2) {
      add_cable(ends_[0], ends_[1]);
      ++link_.cables;
    }
    if (is_link(path)) end_link();
  }

  void scalar(const JsonPath& path, const JsonScalar& value) override {
    const std::size_t at = inside(path);
    if (path.key(at) == "nodes" && path.size() == at + 5 && path.key(at + 2) == "compounded_nodes")
      in_device(path.key(at + 4), value);
    if (path.key(at) != "links") return;
    if (path.size() == at + 3) in_link(path.key(at + 2), value);
    if (path.size() != at + 7 || ends_.empty() || path.key(at + 2) != "compounded_links") return;
    if (path.key(at + 6) == "node") ends_.back().node = kept(value.text);
    if (path.key(at + 6) == "interface") ends_.back().interface = kept(value.text);
  }

  /// The network. The ids of hosts' adapters and of switches are the keys of its devices.
  Fabric finish(const std::string& where, Warnings& warnings) {
    if (devices_.empty()) fail_whole(where, "no nodes are listed");
    Fabric fabric;
    const std::string no_text;
    const TextLines none(where, no_text);
    std::size_t unknown = 0;
    for (const Cable& cable : cables_) {
      const std::optional<FabricPort> a = port(fabric, cable.a);
      const std::optional<FabricPort> b = port(fabric, cable.b);
      if (!a || !b)
        ++unknown;
      else if (a->device != b->device)
        topowise::add_cable(none, 0, fabric, *a, *b, {});
    }
    std::size_t alone = 0;
    for (const auto& [id, device] : devices_) {
      if (device.tier < 0 && device.ports == 0)
        ++alone;
      else if (device.tier >= 0)
        (void)port(fabric, {id, {}});
    }
    order_cables(fabric);
    if (unknown > 0)
      warnings.add(fmt::format("{}: {} left out: an end is not among the nodes", where,
                               unknown == 1 ? "1 cable is" : fmt::format("{} cables are", unknown)));
    if (alone > 0)
      warnings.add(fmt::format("{}: {} left out: no cable is listed", where,
                               alone == 1 ? "1 host is" : fmt::format("{} hosts are", alone)));
    if (several_ > 0)
      warnings.add(fmt::format("{}: {} for several devices each, which are not listed, such as {}", where,
                               several_ == 1 ? "1 node stands" : fmt::format("{} nodes stand", several_),
                               in_quotes(example_)));
    return fabric;
  }

 private:
  struct Device {
    std::string_view id;
    std::string_view name;
    std::optional<int> tier;
    std::uint64_t size = 1;
  };
  struct KnownDevice {
    std::string_view name;
    int tier = 0;
    int ports = 0;  ///< of which a cable is known
  };
  struct End {
    std::string_view node;
    std::string_view interface;

    friend bool operator<(const End& a, const End& b) {
      return std::tie(a.node, a.interface) < std::tie(b.node, b.interface);
    }
  };
  struct Cable {
    End a, b;
  };
  struct Link {
    std::string_view a, b;
    std::uint64_t size = 0;
    std::size_t cables = 0;
  };

  [[noreturn]] static void fail_whole(const std::string& where, std::string what) {
    topowise::fail({where, {}, std::move(what), {}, std::string(kHint)});
  }

  static bool is_entry(const JsonPath& path) { return path.size() == 1 && path.key(0).empty(); }
  static bool is_device(const JsonPath& path) {
    const std::size_t at = inside(path);
    return path.size() == at + 4 && path.key(at) == "nodes" && path.key(at + 2) == "compounded_nodes";
  }
  static bool is_link(const JsonPath& path) {
    const std::size_t at = inside(path);
    return path.size() == at + 2 && path.key(at) == "links";
  }
  static bool is_cable(const JsonPath& path) {
    const std::size_t at = inside(path);
    return path.size() == at + 4 && path.key(at) == "links" && path.key(at + 2) == "compounded_links";
  }
  static bool is_end(const JsonPath& path) {
    const std::size_t at = inside(path);
    return path.size() == at + 6 && path.key(at) == "links" && path.key(at + 4) == "interfaces";
  }

  std::string_view kept(std::string_view text) { return *texts_.emplace(text.substr(0, kLongest)).first; }

  void in_device(std::string_view key, const JsonScalar& value) {
    if (key == "id") device_.id = kept(value.text);
    if (key == "name") device_.name = kept(value.text);
    if (key == "size") device_.size = value.count().value_or(1);
    if (key != "tier") return;
    constexpr double kHighest = 64;
    if (value.kind != JsonScalar::Kind::number || !(value.number >= -1 && value.number <= kHighest))
      fail(fmt::format("no tier of a network: {}", value.shown()));
    device_.tier = static_cast<int>(value.number);
  }

  void end_device() {
    if (device_.id.empty() || !device_.tier) fail("a node without its id or its tier");
    if (devices_.size() == kMostFabricDevices) fail(fmt::format("more than {} nodes", kMostFabricDevices));
    const std::string_view name = device_.name.empty() ? device_.id : device_.name;
    if (!devices_.try_emplace(device_.id, KnownDevice{name, *device_.tier, 0}).second)
      fail(fmt::format("node {} is listed twice", in_quotes(device_.id)));
    if (device_.size > 1 && several_++ == 0) example_ = name;
  }

  void in_link(std::string_view key, const JsonScalar& value) {
    if (key == "src") link_.a = kept(value.text);
    if (key == "target") link_.b = kept(value.text);
    if (key == "size") link_.size = value.count().value_or(1);
    if (key != "id" || !link_.a.empty() || !link_.b.empty()) return;
    constexpr std::string_view kBetween = "-*-";
    const std::size_t cut = value.text.find(kBetween);
    if (cut == std::string_view::npos) return;
    link_.a = kept(value.text.substr(0, cut));
    link_.b = kept(value.text.substr(cut + kBetween.size()));
  }

  /// A link that lists no cables has as many as its size says.
  void end_link() {
    if (link_.cables > 0) return;
    if (link_.a.empty() || link_.b.empty()) fail("a link without its two ends");
    constexpr std::uint64_t kMost = 4096;
    if (link_.size > kMost) fail(fmt::format("a link of {} cables", link_.size));
    if (!unlisted_.insert(std::minmax(link_.a, link_.b)).second) return;
    for (std::uint64_t i = 0; i < std::max<std::uint64_t>(1, link_.size); ++i) add_cable({link_.a, {}}, {link_.b, {}});
  }

  void add_cable(const End& a, const End& b) {
    constexpr std::size_t kMost = kMostFabricCables / 2;
    if (cables_.size() == kMost) fail(fmt::format("more than {} cables", kMost));
    cables_.push_back({a, b});
  }

  /// The port of a cable's end, which is added with its device: a switch, or an adapter of a host. Nothing if its node
  /// is not listed.
  std::optional<FabricPort> port(Fabric& fabric, const End& end) {
    const auto known = devices_.find(end.node);
    if (known == devices_.end()) return std::nullopt;
    KnownDevice& device = known->second;
    if (device.tier >= 0) {
      const auto switch_at =
          fabric.devices.try_emplace(known->first, FabricDevice{FabricDevice::Kind::fabric_switch, true, device.name});
      return FabricPort{&*switch_at.first, number(device, end)};
    }
    // Words of a description are the host and its adapter.
    std::string host(device.name);
    std::ranges::replace_if(host, is_blank, '_');
    const std::string_view id = end.interface.empty() ? end.node : kept(fmt::format("{}:{}", end.node, end.interface));
    const std::string_view description =
        end.interface.empty() ? kept(host) : kept(fmt::format("{} {}", host, end.interface));
    const auto adapter =
        fabric.devices.try_emplace(id, FabricDevice{FabricDevice::Kind::channel_adapter, false, description});
    return FabricPort{&*adapter.first, number(device, end)};
  }

  /// The number of a port of a device: each interface has its own, and each end without the name of an interface.
  int number(KnownDevice& device, const End& end) {
    if (end.interface.empty()) return ++device.ports;
    const auto [at, is_new] = ports_.try_emplace(end, device.ports + 1);
    if (is_new) ++device.ports;
    return at->second;
  }

  std::set<std::string, std::less<>> texts_;
  std::map<std::string_view, KnownDevice> devices_;  ///< by id
  std::vector<Cable> cables_;
  std::map<End, int> ports_;
  std::set<std::pair<std::string_view, std::string_view>> unlisted_;  ///< links that list no cables, smaller id first
  Device device_;
  Link link_;
  std::vector<End> ends_;
  std::size_t entries_ = 0;
  std::size_t several_ = 0;
  std::string example_;
};

bool is_netq(std::string_view head) {
  return says(head, "\"compounded_nodes\"") || says(head, "\"compounded_links\"");
}

bool recognises(std::string_view head) {
  const std::string_view begin = trim(head);
  if (begin.starts_with('{') && says(begin, "\"instances\"") && says(begin, "\"network_layers\"")) return true;
  if (begin.starts_with('[') && says(begin, "\"DomainUUID\"") && says(begin, "\"Name\"")) return true;
  return (begin.starts_with('{') || begin.starts_with('[')) && is_netq(begin);
}

Topology read(const std::string& where, std::string_view text) {
  Input input = Input::of_text(where, text);
  Warnings warnings;
  if (is_netq(text.substr(0, Input::kHead))) {
    NetqVisitor visitor;
    read_json_events(input, visitor);
    const Fabric fabric = visitor.finish(where, warnings);
    return fabric_topology(where, fabric, kNetq, warnings);
  }
  HostsVisitor visitor;
  read_json_events(input, visitor);
  if (visitor.hosts.empty()) fail({where, {}, visitor.left_out.why_none(), {}, std::string(kHint)});
  NetworkTree tree = tree_of_hosts(where, visitor.hosts, warnings);
  visitor.left_out.report(where, warnings);
  return build_topology(where, tree, kSource, warnings);
}

}  // namespace

const TopologyFormat kTopographFormat{
    "topograph", "the answer of topograph's engine graph, and the network and domains of NVLink that NetQ gives it",
    recognises, read, kLargestCluster};

}  // namespace topowise
