// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/cluster/cluster.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/topology_source/cluster/cluster_plan.hpp>
#include <topowise/topology_source/cluster/compose.hpp>
#include <topowise/topology_source/cluster/job_hosts.hpp>
#include <topowise/topology_source/cluster/shared_switches.hpp>

namespace topowise {
namespace {

/// The description that each host has, as an index into the words' nodes. `known` are the hosts that have a name.
std::vector<std::size_t> kinds_of(const ClusterWords& words, const std::vector<FabricHost>& known,
                                  const std::vector<FabricHost>& hosts) {
  const HostNames names = names_of_hosts(known);
  std::map<VertexId, std::size_t> named;
  std::optional<std::size_t> others;
  for (std::size_t k = 0; k < words.nodes.size(); ++k) {
    if (words.nodes[k].hosts.empty()) others = k;
    for (const std::string& name : words.nodes[k].hosts) {
      const std::optional<std::size_t> host = names.find(name);
      if (host && named.emplace(known[*host].vertex, k).first->second != k)
        throw usage_error(fmt::format("host {} has two descriptions", printable(name)), "each host in one list");
    }
  }
  std::vector<std::size_t> kinds;
  for (const FabricHost& host : hosts) {
    const auto found = named.find(host.vertex);
    if (found == named.end() && !others) {
      throw bad_input(fmt::format("host {} has no description", printable(host.name)),
                      "cluster:FABRIC,n[01-16]=NODE,OTHER: the last is for all other hosts");
    }
    kinds.push_back(found != named.end() ? found->second : *others);
  }
  return kinds;
}

/// Checks that the host lists before descriptions name hosts of the fabric.
void check_described(const ClusterWords& words, const FabricHosts& all, const std::string& fabric) {
  for (const NodeWords& node : words.nodes) {
    if (!node.hosts.empty()) (void)choose_hosts(all, fabric, node.hosts);
  }
}

void check_node(const Topology& machine) {
  if (!machine.levels().empty() && machine.levels().back().kind == PathKind::unconnected) {
    const auto [a, b] = machine.pair_of_level(machine.levels().size() - 1);
    throw bad_input(fmt::format("'{}' is no complete node: it does not say how {} and {} are joined", machine.name(),
                                machine.vertex_of(a).name, machine.vertex_of(b).name),
                    "links, stated_classes or pair_matrices in its JSON, or another description joined by '+'");
  }
  if (std::ranges::all_of(machine.places(), [](const PlaceEntry& place) { return place.kind == PlaceKind::node; }))
    throw bad_input(fmt::format("'{}' is no node: its places are hosts, not devices or cores", machine.name()),
                    "cluster:FABRIC,NODE with a preset, or what nvidia-smi, NCCL, hwloc or lspci print, as NODE");
  const auto is_switch = [](const Vertex& vertex) { return vertex.kind == VertexKind::network_switch; };
  if (const auto found = std::ranges::find_if(machine.vertices(), is_switch); found != machine.vertices().end())
    throw bad_input(fmt::format("'{}' is no node but a cluster: it has the network switch {}", machine.name(),
                                printable(found->name)),
                    "give it as the machine itself, without cluster:");
}

std::string name_of(const std::vector<Topology>& machines, std::size_t hosts, const Topology& fabric) {
  std::string nodes;
  for (const Topology& machine : machines) nodes += (nodes.empty() ? "" : ", ") + machine.name();
  return fmt::format("{} x {} on {}", hosts, nodes, fabric.name());
}

/// Throws Error(bad_input) before memory is taken for a cluster that would need more than any machine is likely to
/// have.
void check_size(const std::vector<Topology>& machines, const std::vector<std::size_t>& kinds) {
  constexpr std::size_t kMost = std::size_t{1} << 25;  // vertices and links
  constexpr double kBytesOfEach = 160;                 // measured: 150 to 170
  std::vector<std::size_t> hosts(machines.size(), 0);
  for (const std::size_t kind : kinds) ++hosts[kind];
  std::size_t all = 0;
  std::size_t places = 0;
  for (std::size_t m = 0; m < hosts.size(); ++m) {
    const Topology& machine = machines[m];
    all += hosts[m] * (machine.vertices().size() + machine.links().size());
    places += hosts[m] * machine.place_count();
  }
  if (all <= kMost) return;
  const auto gigabytes = [](std::size_t count) { return static_cast<double>(count) * kBytesOfEach / 1e9; };
  throw bad_input(fmt::format("the cluster is too large: {} hosts with {} places would take about {:.0f} GB of memory, "
                              "at most {:.0f} GB are supported",
                              kinds.size(), places, gigabytes(all), gigabytes(kMost)),
                  "cluster:FABRIC,NODE,hosts=LIST takes some of the hosts");
}

}  // namespace

Topology read_cluster(std::string_view description, const std::function<Topology(const std::string&)>& read) {
  const ClusterWords words = parse_cluster(description);
  Topology fabric = read(words.fabric == "live" ? std::string(kLiveFabric) : words.fabric);
  FabricHosts all = hosts_of_fabric(fabric);
  if (all.named) check_described(words, all, fabric.name());
  std::vector<FabricHost> hosts = choose_hosts(all, fabric.name(), words.hosts);
  for (const FabricHost& host : hosts) {
    if (host.cable_ends.empty())
      throw bad_input(fmt::format("host {} has no cable in '{}'", printable(host.name), fabric.name()));
  }
  if (!words.adapters.empty()) keep_adapters(hosts, words.adapters, fabric.name());
  std::vector<std::size_t> kinds = kinds_of(words, all.named ? all.hosts : hosts, hosts);
  all.hosts = {};  // a large fabric has many, which are no longer needed
  std::vector<Topology> machines;
  for (const NodeWords& node : words.nodes) {
    machines.push_back(read(node.topology));
    check_node(machines.back());
  }
  check_size(machines, kinds);
  std::string name = name_of(machines, hosts.size(), fabric);
  std::optional<SharedSwitches> shared = shared_switches(fabric, hosts);
  const Topology cluster = compose_cluster({.name = std::move(name),
                                            .fabric = std::move(fabric),
                                            .stays = std::move(all.stays),
                                            .hosts = std::move(hosts),
                                            .kind = std::move(kinds),
                                            .machines = std::move(machines),
                                            .shared_nvlink = words.shared_nvlink,
                                            .nic = words.nic,
                                            .shared = std::move(shared)});
  return limited_to_parts(cluster, words.parts);
}

}  // namespace topowise
