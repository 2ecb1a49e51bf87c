// SPDX-License-Identifier: BSD-3-Clause
// `pbsnodes -a -F json` of PBS Professional and OpenPBS:
//   {"pbs_version": "22.05", "nodes": {"n01": {"resources_available": {"host": "n01", "tier0": "rack3", "tier1":
//   "g0"}}}}
// A site's own resources say where a node is (PBS Administrator's Guide, placement sets). tierN, rack and switch are
// read; other names are the site's secret.
#include <topowise/topology_source/node/text_formats.hpp>

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
#include <topowise/topology_source/fabric/hostlist.hpp>
#include <topowise/topology_source/fabric/network_tree.hpp>
#include <topowise/topology_source/fabric/path_tree.hpp>

namespace topowise {
namespace {

constexpr std::string_view kSource = "pbs";
constexpr std::size_t kLongest = 256;
constexpr int kRackDepth = 1;    ///< behind all tiers
constexpr int kSwitchDepth = 2;  ///< next to the node

/// States of nodes that no job gets (PBS Reference Guide, states of vnodes).
constexpr std::array<std::string_view, 10> kAway{"offline",      "down",        "stale", "state-unknown",
                                                 "unknown",      "maintenance", "sleep", "initializing",
                                                 "unresolvable", "provisioning"};

/// The depth of a resource, from the outside to the inside: tier2, tier1, tier0, rack, switch.
std::optional<int> depth_of(std::string_view resource) {
  if (resource == "rack") return kRackDepth;
  if (resource == "switch") return kSwitchDepth;
  if (!resource.starts_with("tier")) return std::nullopt;
  const std::optional<std::int64_t> number = parse_integer(resource.substr(4));
  if (!number || *number < 0 || *number >= 32) return std::nullopt;
  return -static_cast<int>(*number);
}

class NodesVisitor : public JsonVisitor {
 public:
  /// By host, in the order of the names: its levels by depth.
  std::map<std::string, std::map<int, std::string>> hosts;
  std::set<std::string> several;            ///< levels that a node is in more than one of
  std::map<std::string, std::string> away;  ///< why hosts cannot be used, at least a part of them

  void begin(const JsonPath& path) override {
    if (!is_node(path)) return;
    host_ = printable(path.key(1).substr(0, kLongest));
    levels_.clear();
    away_.clear();
  }
  void end(const JsonPath& path) override {
    if (!is_node(path)) return;
    if (!away_.empty()) {
      away.insert_or_assign(host_, away_);
      return;
    }
    if (hosts.size() == kMostHosts) fail(fmt::format("more than {} nodes", kMostHosts));
    hosts[host_].insert(levels_.begin(), levels_.end());  // virtual nodes of one host are one node
  }
  void scalar(const JsonPath& path, const JsonScalar& value) override {
    if (path.size() == 3 && path.key(0) == "nodes" && path.key(2) == "state")
      for (const std::string_view word : split(value.text, ','))
        if (away_.empty() && std::ranges::find(kAway, lower(trim(word))) != kAway.end()) away_ = lower(trim(word));
    if (path.size() != 4 || path.key(0) != "nodes" || path.key(2) != "resources_available" || value.text.empty())
      return;
    if (path.key(3) == "host") host_ = printable(value.text.substr(0, kLongest));
    const std::optional<int> depth = depth_of(path.key(3));
    if (!depth) return;
    if (value.text.find(',') != std::string_view::npos)
      several.insert(printable(path.key(3).substr(0, kLongest)));
    else
      levels_.insert_or_assign(*depth, printable(value.text.substr(0, kLongest)));
  }

 private:
  static bool is_node(const JsonPath& path) { return path.size() == 2 && path.key(0) == "nodes"; }

  std::string host_;
  std::map<int, std::string> levels_;
  std::string away_;
};

bool recognises(std::string_view head) {
  const std::string_view begin = trim(head);
  return begin.starts_with('{') && begin.find("\"pbs_version\"") != std::string_view::npos;
}

Topology read(const std::string& where, std::string_view text) {
  Input input = Input::of_text(where, text);
  NodesVisitor visitor;
  read_json_events(input, visitor);
  NodesLeftOut left_out;
  for (const auto& [host, why] : visitor.away)
    if (!visitor.hosts.contains(host)) left_out.add(why, host);
  if (visitor.hosts.empty()) fail({where, {}, left_out.why_none(), {}, "pbsnodes -a -F json > FILE"});
  Warnings warnings;
  left_out.report(where, warnings);
  PathTree tree(where);
  const bool has_levels = std::ranges::any_of(visitor.hosts, [](const auto& entry) { return !entry.second.empty(); });
  std::size_t without = 0;
  for (const auto& [host, levels] : visitor.hosts) {
    std::vector<std::string> path;
    for (const auto& [depth, name] : levels) path.push_back(name);
    without += path.empty() ? 1 : 0;
    if (path.empty()) path.push_back(has_levels ? fmt::format("unknown switch of {}", host) : "network");
    tree.add(host, path);
  }
  for (const std::string& resource : visitor.several)
    warnings.add(fmt::format("{}: nodes have several values of {}: they are left out", where, in_quotes(resource)));
  if (has_levels && without > 0)
    warnings.add(
        fmt::format("{}: {} of {} have no resource tierN, rack or switch: each is taken to be on a switch of its own",
                    where, without, counted(visitor.hosts.size(), "node")));
  if (!has_levels)
    warnings.add(
        fmt::format("{}: no node has a resource tierN, rack or switch: all are taken to be on one switch", where));
  return build_topology(where, std::move(tree).finish("network"), kSource, warnings);
}

}  // namespace

const TopologyFormat kPbsFormat{"pbs", "nodes of PBS with tierN, rack, switch: pbsnodes -a -F json", recognises, read,
                                kLargestCluster};

}  // namespace topowise
