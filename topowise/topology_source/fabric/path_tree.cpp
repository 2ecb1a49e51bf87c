// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/fabric/path_tree.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include <topowise/reading/located_text.hpp>

namespace topowise {
namespace {

/// The domains whose hosts are all in the same.
std::set<std::string> whole_domains(const std::string& where, std::span<const LocatedHost> hosts, Warnings& warnings) {
  std::map<std::string_view, const LocatedHost*> first;
  std::set<std::string_view> split;
  for (const LocatedHost& host : hosts) {
    if (host.domain.empty()) continue;
    const auto [at, is_new] = first.try_emplace(host.domain, &host);
    if (!is_new && at->second->path != host.path) split.insert(host.domain);
  }
  std::set<std::string> whole;
  for (const auto& [domain, host] : first) {
    if (!split.contains(domain))
      whole.emplace(domain);
    else
      warnings.add(fmt::format("{}: the nodes of accelerator domain {} are below different switches; it is left out",
                               where, in_quotes(domain)));
  }
  return whole;
}

void check_names(const std::string& where, std::span<const LocatedHost> hosts) {
  std::vector<std::string_view> names;
  names.reserve(hosts.size());
  for (const LocatedHost& host : hosts) names.push_back(host.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) fail({where, {}, fmt::format("node {} is listed twice", in_quotes(*twice)), {}, {}});
}

}  // namespace

void PathTree::add(std::string host, const std::vector<std::string>& path) {
  constexpr std::size_t kMostLevels = 64;
  constexpr std::size_t kMostSwitches = std::size_t{1} << 16;
  if (path.size() > kMostLevels)
    fail({where_,
          {},
          fmt::format("host {} is below {} switches, one above the other: more than {}", in_quotes(host), path.size(),
                      kMostLevels),
          {},
          {}});
  std::optional<std::size_t> above;
  for (const std::string& name : path) {
    const auto [at, is_new] = known_.try_emplace({above, name}, tree_.switches.size());
    if (is_new) tree_.switches.push_back({name, above});
    above = at->second;
  }
  if (!above) {
    above = tree_.switches.size();
    tree_.switches.push_back({host, std::nullopt});
  }
  tree_.nodes.push_back({std::move(host), *above});
  if (tree_.switches.size() > kMostSwitches)
    fail({where_, {}, fmt::format("more than {} switches", kMostSwitches), {}, {}});
}

NetworkTree PathTree::finish(const std::string& top) && {
  const auto is_root = [](const NetworkTree::Switch& entry) { return !entry.parent; };
  if (std::ranges::count_if(tree_.switches, is_root) < 2) return std::move(tree_);
  const std::size_t joint = tree_.switches.size();
  for (NetworkTree::Switch& entry : tree_.switches)
    if (is_root(entry)) entry.parent = joint;
  tree_.switches.push_back({top, std::nullopt});
  return std::move(tree_);
}

NetworkTree tree_of_hosts(const std::string& where, std::span<const LocatedHost> hosts, Warnings& warnings) {
  check_names(where, hosts);
  const std::set<std::string> domains = whole_domains(where, hosts, warnings);
  PathTree tree(where);
  for (const LocatedHost& host : hosts) {
    std::vector<std::string> path = host.path;
    if (domains.contains(host.domain)) path.push_back(host.domain);
    tree.add(host.name, path);
  }
  return std::move(tree).finish("network");
}

}  // namespace topowise
