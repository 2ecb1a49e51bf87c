// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/cluster/shared_switches.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/natural_order.hpp>

namespace topowise {
namespace {

using Names = std::set<std::string_view, NaturalOrder>;

/// The hosts on each switch, by their numbers, each once.
std::map<VertexId, std::vector<std::size_t>> hosts_by_switch(std::span<const FabricHost> hosts) {
  std::map<VertexId, std::vector<std::size_t>> on;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    for (const FabricCableEnd& end : hosts[h].cable_ends) {
      std::vector<std::size_t>& here = on[end.on];
      if (here.empty() || here.back() != h) here.push_back(h);
    }
  }
  return on;
}

/// How many groups the hosts on `shared` are in by their other cables. A host without other cables is in none.
std::size_t groups_without(const std::map<VertexId, std::vector<std::size_t>>& on, const std::set<VertexId>& shared,
                           std::size_t hosts) {
  DisjointSets sets(hosts);
  std::set<std::size_t> with_others;
  for (const auto& [vertex, here] : on) {
    if (shared.contains(vertex)) continue;
    for (const std::size_t host : here) sets.join(here.front(), host);
    with_others.insert(here.begin(), here.end());
  }
  std::set<std::size_t> groups;
  for (const std::size_t host : on.at(*shared.begin())) {
    if (with_others.contains(host)) groups.insert(sets.find(host));
  }
  return groups.size();
}

/// "mlx5_0", "mlx5_[0,1,4]", or nothing if the names have no common form that hca= takes.
std::string as_list(const Names& names) {
  if (names.size() == 1) return std::string(*names.begin());
  const auto without_number = [](std::string_view name) {
    while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
    return name;
  };
  const std::string_view prefix = names.empty() ? std::string_view() : without_number(*names.begin());
  std::vector<std::string_view> numbers;
  for (const std::string_view name : names) {
    if (without_number(name) != prefix || name.size() == prefix.size()) return {};
    numbers.push_back(name.substr(prefix.size()));
  }
  return numbers.empty() ? std::string() : fmt::format("{}[{}]", prefix, fmt::join(numbers, ","));
}

SharedSwitches describe(const Topology& fabric, std::span<const FabricHost> hosts, const std::set<VertexId>& shared,
                        std::size_t count, std::size_t groups) {
  Names own;
  Names others;
  for (const FabricHost& host : hosts) {
    for (const FabricCableEnd& end : host.cable_ends) {
      if (!end.adapter.empty()) (shared.contains(end.on) ? own : others).insert(end.adapter);
    }
  }
  std::erase_if(others, [&](std::string_view name) { return own.contains(name); });
  constexpr std::size_t kShown = 3;
  std::vector<std::string> switches;
  for (const VertexId vertex : shared) {
    if (switches.size() < kShown) switches.push_back(fmt::format("'{}'", fabric.vertex(vertex).name));
  }
  const std::string list = as_list(others);
  return {{shared.begin(), shared.end()},
          fmt::format("{} of {} hosts have a cable on {}{}{}, which makes them neighbours; their other cables divide "
                      "them into {} groups",
                      count, hosts.size(), fmt::join(switches, ", "), shared.size() > kShown ? ", ..." : "",
                      own.empty() ? "" : fmt::format(" ({})", fmt::join(own, ", ")), groups),
          list.empty() ? std::string() : fmt::format("hca={}", list)};
}

}  // namespace

std::optional<SharedSwitches> shared_switches(const Topology& fabric, std::span<const FabricHost> hosts) {
  constexpr std::size_t kFewest = 3;  // two hosts are neighbours on any switch that both have
  if (hosts.size() < kFewest) return std::nullopt;
  const std::map<VertexId, std::vector<std::size_t>> on = hosts_by_switch(hosts);
  std::size_t most = 0;
  for (const auto& [vertex, here] : on) most = std::max(most, here.size());
  if (2 * most <= hosts.size()) return std::nullopt;
  std::set<VertexId> shared;
  for (const auto& [vertex, here] : on) {
    if (here.size() == most) shared.insert(vertex);
  }
  const std::size_t groups = groups_without(on, shared, hosts.size());
  if (groups < 2) return std::nullopt;
  return describe(fabric, hosts, shared, most, groups);
}

Topology with_shared_switches_told(Topology machine) {
  const bool is_fabric =
      !machine.adapters().empty() &&
      std::ranges::all_of(machine.places(), [](const PlaceEntry& place) { return place.kind == PlaceKind::node; });
  if (!is_fabric) return machine;
  const std::optional<SharedSwitches> shared = shared_switches(machine, hosts_of_fabric(machine).hosts);
  if (!shared) return machine;
  TopologyBuilder builder(machine);
  builder.assume("hosts are neighbours by a switch that joins all of them, as one for storage would");
  builder.warn(shared->remedy.empty()
                   ? shared->what
                   : fmt::format("{} (cluster:FABRIC,NODE,{} leaves the others out)", shared->what, shared->remedy));
  return std::move(builder).build();
}

void keep_adapters(std::vector<FabricHost>& hosts, const std::vector<std::string>& names, const std::string& fabric) {
  for (FabricHost& host : hosts) {
    std::vector<std::string> has;
    for (const FabricCableEnd& end : host.cable_ends) has.push_back(printable(end.adapter));
    std::erase_if(host.cable_ends,
                  [&](const FabricCableEnd& end) { return std::ranges::find(names, end.adapter) == names.end(); });
    if (!host.cable_ends.empty()) continue;
    std::erase(has, std::string());
    if (has.empty())
      throw bad_input(
          fmt::format("'{}' does not name the adapters of {}: hca= needs names", fabric, printable(host.name)),
          "ibnetdiscover names them: \"n01 mlx5_0\"");
    throw bad_input(fmt::format("host {} has no adapter of hca= in '{}'", printable(host.name), fabric),
                    fmt::format("it has {}", fmt::join(has, ", ")));
  }
}

}  // namespace topowise
