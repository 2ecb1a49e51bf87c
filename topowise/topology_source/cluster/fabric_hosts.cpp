// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/cluster/fabric_hosts.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/natural_order.hpp>

namespace topowise {
namespace {

void add_cable_ends(const Topology& fabric, const std::vector<bool>& is_host, FabricHost& host,
                    std::vector<bool>& stays) {
  const std::span<const LinkId> links = fabric.links_from(host.vertex);
  const bool is_router = std::ranges::any_of(links, [&](LinkId id) { return is_host[fabric.link(id).to.index()]; });
  if (is_router) {
    host.cable_ends.push_back({host.vertex, {}, nullptr, {}});
    stays[host.vertex.index()] = true;
    return;
  }
  for (const LinkId id : links) {
    const Link& link = fabric.link(id);
    const auto names = fabric.adapters().find(id);
    for (int cable = 0; cable < link.width; ++cable) {
      host.cable_ends.push_back({link.to, link.bandwidth / static_cast<double>(link.width), &link.source, {}});
      if (names != fabric.adapters().end())
        host.cable_ends.back().adapter = names->second[static_cast<std::size_t>(cable)];
    }
  }
  // Links are listed switch by switch, but adapters may alternate between switches, as mlx5_0 and mlx5_2 on one. So the
  // ends are sorted by adapter.
  if (std::ranges::none_of(host.cable_ends, [](const FabricCableEnd& end) { return end.adapter.empty(); }))
    std::ranges::stable_sort(host.cable_ends, NaturalOrder(), &FabricCableEnd::adapter);
}

std::vector<FabricHost> name_hosts(const FabricHosts& all, const std::string& fabric,
                                   const std::vector<std::string>& names) {
  std::vector<FabricHost> named;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(lower(name)).second || seen.size() > all.hosts.size()) continue;
    named.push_back(all.hosts[named.size()]);
    named.back().name = name;
  }
  if (seen.size() <= all.hosts.size()) return named;
  throw bad_input(fmt::format("'{}' has room for {} hosts, but {} are named", fabric, all.hosts.size(), seen.size()));
}

}  // namespace

HostNames names_of_hosts(const std::vector<FabricHost>& hosts) {
  HostNames names;
  for (const FabricHost& host : hosts) names.add(host.name);
  return names;
}

FabricHosts hosts_of_fabric(const Topology& fabric) {
  FabricHosts found;
  std::vector<bool> is_host(fabric.vertices().size(), false);
  for (const PlaceEntry& place : fabric.places()) {
    if (place.kind == PlaceKind::gpu || place.kind == PlaceKind::core) {
      throw bad_input(
          fmt::format("'{}' is no fabric: its places are {}s, not hosts", fabric.name(), to_string(place.kind)),
          "cluster:FABRIC,NODE with a Slurm or InfiniBand file, tree:, torus:, mesh: or dragonfly: as FABRIC");
    }
    is_host[place.vertex.index()] = true;
  }
  found.named =
      std::ranges::all_of(fabric.places(), [](const PlaceEntry& place) { return place.kind == PlaceKind::node; });
  const auto left_out = std::ranges::find_if(
      fabric.warnings(), [](const std::string& warning) { return warning.find(" left out, ") != std::string::npos; });
  if (left_out != fabric.warnings().end()) found.left_out = *left_out;
  found.stays.resize(is_host.size());
  for (std::size_t v = 0; v < is_host.size(); ++v) found.stays[v] = !is_host[v];
  for (const PlaceEntry& place : fabric.places()) {
    const Vertex& vertex = fabric.vertex(place.vertex);
    FabricHost host{vertex.node.empty() ? vertex.name : vertex.node, place.vertex, {}};
    add_cable_ends(fabric, is_host, host, found.stays);
    found.hosts.push_back(std::move(host));
  }
  return found;
}

std::vector<FabricHost> choose_hosts(const FabricHosts& all, const std::string& fabric,
                                     const std::optional<std::vector<std::string>>& names) {
  if (!names) return all.hosts;
  std::vector<FabricHost> chosen;
  if (!all.named) return name_hosts(all, fabric, *names);
  const HostNames known = names_of_hosts(all.hosts);
  HostNames asked;
  for (const std::string& name : *names) asked.add(name);
  std::vector<std::string> unknown;
  std::set<std::size_t> seen;
  for (const std::string& name : *names) {
    const std::optional<std::size_t> host = known.find(name);
    const bool is_clear = host && (lower(name) == lower(all.hosts[*host].name) || asked.is_alone(name));
    if (!is_clear)
      unknown.push_back(printable(name.substr(0, 80)));
    else if (seen.insert(*host).second)
      chosen.push_back(all.hosts[*host]);
  }
  if (unknown.empty()) return chosen;
  constexpr std::size_t kShown = 5;
  const std::size_t count = unknown.size();
  unknown.resize(std::min(count, kShown));
  throw bad_input(fmt::format("'{}' does not know {} of the hosts: {}{}", fabric, count, fmt::join(unknown, ", "),
                              count > kShown ? ", ..." : ""),
                  fmt::format("it knows hosts like {}{}{}", all.hosts.front().name, all.left_out.empty() ? "" : "; ",
                              all.left_out));
}

}  // namespace topowise
