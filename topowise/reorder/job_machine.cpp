// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/job_machine.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>

namespace topowise {
namespace {

/// Processes of each host, in their order; hosts in the order of their first processes.
struct Hosts {
  std::vector<std::string> names;
  std::vector<std::vector<std::size_t>> processes;
};

Hosts hosts_of(std::span<const std::string> host_of_process) {
  Hosts hosts;
  std::map<std::string, std::size_t, std::less<>> number;
  for (std::size_t process = 0; process < host_of_process.size(); ++process) {
    const auto [found, fresh] = number.try_emplace(host_of_process[process], hosts.names.size());
    if (fresh) {
      hosts.names.push_back(host_of_process[process]);
      hosts.processes.emplace_back();
    }
    hosts.processes[found->second].push_back(process);
  }
  return hosts;
}

/// The hosts of a cluster, and the places of each by its number.
struct HostPlaces {
  HostNames names;
  std::vector<std::vector<Place>> places;
};

HostPlaces places_by_host(const Topology& cluster) {
  std::map<std::string, std::vector<Place>> by_name;
  for (std::size_t p = 0; p < cluster.place_count(); ++p) {
    const VertexId vertex = cluster.place(Place(p)).vertex;
    std::string host = node_name(cluster, vertex);
    if (host.empty()) host = cluster.vertex(vertex).name;
    by_name[host].emplace_back(p);
  }
  HostPlaces hosts;
  for (auto& [host, places] : by_name) {
    hosts.names.add(host);
    hosts.places.push_back(std::move(places));
  }
  return hosts;
}

}  // namespace

JobMachine equal_hosts(std::span<const std::string> host_of_process) {
  const Hosts hosts = hosts_of(host_of_process);
  TopologyBuilder builder("the hosts of the job");
  const VertexId network = builder.add_vertex({.kind = VertexKind::group, .name = "network"});
  std::vector<Place> place_of_process(host_of_process.size(), Place(0));
  for (std::size_t host = 0; host < hosts.names.size(); ++host) {
    const VertexId vertex = builder.add_vertex(
        {.kind = VertexKind::compute_node, .name = hosts.names[host], .node = hosts.names[host], .parent = network});
    builder.add_links({.from = vertex, .to = network, .kind = LinkKind::abstract, .source = "job"});
    const Place place = builder.add_place(PlaceKind::node, vertex, static_cast<int>(hosts.processes[host].size()));
    for (const std::size_t process : hosts.processes[host]) place_of_process[process] = place;
  }
  return {std::move(builder).build(), std::move(place_of_process), Metric::distance, true};
}

JobMachine parts_of_host(std::span<const NodePart> part_of_process) {
  TopologyBuilder builder("a host of the job");
  const VertexId host = builder.add_vertex({.kind = VertexKind::group, .name = "host"});
  std::vector<VertexId> at(part_of_process.size(), host);
  for (std::size_t level = 0; level < kNodeLevels; ++level) {
    if (!divides(level, part_of_process)) continue;
    std::map<std::pair<VertexId, std::int16_t>, VertexId> vertex_of;
    for (std::size_t process = 0; process < at.size(); ++process) {
      const std::int16_t number = part_of_process[process].number[level];
      const auto [found, fresh] = vertex_of.try_emplace({at[process], number}, host);
      if (fresh) {
        found->second = builder.add_vertex(
            {.kind = VertexKind::group, .name = fmt::format("{}.{}", level, number), .parent = at[process]});
        builder.add_links({.from = found->second, .to = at[process], .kind = LinkKind::abstract, .source = "binding"});
      }
      at[process] = found->second;
    }
  }
  std::map<VertexId, int> processes;
  for (const VertexId vertex : at) ++processes[vertex];
  std::map<VertexId, Place> place_of;
  for (const auto& [vertex, count] : processes)
    place_of.emplace(vertex, builder.add_place(PlaceKind::slot, vertex, count));
  std::vector<Place> place_of_process;
  for (const VertexId vertex : at) place_of_process.push_back(place_of.at(vertex));
  return {std::move(builder).build(), std::move(place_of_process)};
}

JobMachine described_hosts(const Topology& cluster, std::span<const std::string> host_of_process) {
  const Hosts hosts = hosts_of(host_of_process);
  const HostPlaces known = places_by_host(cluster);
  std::vector<std::string> unknown;
  std::map<std::size_t, std::string> host_at;  // by the number that the description gives it
  std::vector<Place> place_of_process(host_of_process.size(), Place(0));
  std::vector<int> used(cluster.place_count(), 0);
  for (std::size_t host = 0; host < hosts.names.size(); ++host) {
    const std::optional<std::size_t> found = known.names.find(hosts.names[host]);
    if (!found) {
      unknown.push_back(hosts.names[host]);
      continue;
    }
    if (const auto [other, fresh] = host_at.try_emplace(*found, hosts.names[host]); !fresh)
      throw bad_input(fmt::format("'{}' has the same entry for two hosts of the job: {} and {}", cluster.name(),
                                  other->second, hosts.names[host]),
                      "an entry for each, with its domain");
    const std::vector<Place>& places = known.places[*found];
    const std::vector<std::size_t>& processes = hosts.processes[host];
    for (std::size_t k = 0; k < processes.size(); ++k) {
      const Place place = places[k * places.size() / std::max(processes.size(), places.size())];
      place_of_process[processes[k]] = place;
      ++used[place.index()];
    }
  }
  if (!unknown.empty())
    throw bad_input(fmt::format("'{}' does not know {} {} of the job: {}", cluster.name(), unknown.size(),
                                unknown.size() == 1 ? "host" : "hosts", fmt::join(unknown, ", ")),
                    "'topowise topology FILE' lists the hosts that it knows");
  TopologyBuilder builder(cluster);
  std::vector<int> power;
  for (std::size_t p = 0; p < used.size(); ++p) {
    power.push_back(cluster.place(Place(p)).capacity);
    if (used[p] > 0) builder.set_capacity(Place(p), used[p]);
  }
  JobMachine machine{std::move(builder).build(), std::move(place_of_process)};
  machine.power = std::move(power);
  return machine;
}

}  // namespace topowise
