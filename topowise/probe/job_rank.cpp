// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/probe/job_rank.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <topowise/base/host_names.hpp>

namespace topowise::probe {
namespace {

bool same_gpu(const Vertex& vertex, const JobRank& rank) {
  const std::optional<PciAddress> pci = PciAddress::parse(rank.gpu_pci);
  if (vertex.pci && pci) return *vertex.pci == *pci;
  return !vertex.uuid.empty() && vertex.uuid == rank.gpu_uuid;
}

bool stands_on(const Topology& machine, const PlaceEntry& place, const JobRank& rank, bool one_host) {
  const std::string node = node_name(machine, place.vertex);
  const bool same_host = node.empty() ? one_host : is_same_host(node, rank.host);
  // A description of one node may have any name.
  const bool may_be_here = same_host || (one_host && place.kind == PlaceKind::gpu);
  const Vertex& vertex = machine.vertex(place.vertex);
  switch (place.kind) {
    case PlaceKind::gpu:
      return may_be_here && same_gpu(vertex, rank);
    case PlaceKind::node:
      return same_host;
    case PlaceKind::core:
      return same_host && !vertex.cpus.empty() && vertex.cpus == rank.cpus;
    case PlaceKind::slot:
      return false;
  }
  return false;
}

/// A place for each rank in the order of the bus ids, as presets number GPUs; nothing if the machine names its GPUs, or
/// is another one.
std::vector<std::optional<Place>> unnamed_gpus(const Topology& machine, const std::vector<JobRank>& ranks) {
  const bool unnamed = std::ranges::all_of(machine.places(), [&](const PlaceEntry& place) {
    const Vertex& vertex = machine.vertex(place.vertex);
    return place.kind == PlaceKind::gpu && !vertex.pci && vertex.uuid.empty();
  });
  const bool one_host = number_hosts(ranks).names.size() == 1;
  std::map<PciAddress, std::size_t> rank_of;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (const std::optional<PciAddress> pci = PciAddress::parse(ranks[r].gpu_pci)) rank_of.emplace(*pci, r);
  }
  std::vector<std::optional<Place>> found(ranks.size());
  if (!unnamed || !one_host || rank_of.size() != ranks.size() || machine.place_count() != ranks.size()) return found;
  std::size_t place = 0;
  for (const auto& [pci, rank] : rank_of) found[rank] = Place(place++);
  return found;
}

}  // namespace

std::vector<JobRank> gather_ranks(const mpi::Team& team, const JobRank& own) {
  std::vector<JobRank> ranks;
  for (const std::vector<std::string>& of_rank : team.gather_texts({own.host, own.cpus, own.gpu_pci, own.gpu_uuid}))
    ranks.push_back({of_rank[0], of_rank[1], of_rank[2], of_rank[3]});
  return ranks;
}

HostNumbers number_hosts(const std::vector<JobRank>& ranks) {
  HostNumbers hosts;
  for (const JobRank& rank : ranks) {
    const auto found = std::ranges::find(hosts.names, rank.host);
    hosts.of_rank.push_back(static_cast<std::size_t>(found - hosts.names.begin()));
    if (found == hosts.names.end()) hosts.names.push_back(rank.host);
  }
  return hosts;
}

Topology machine_of(const std::vector<JobRank>& ranks, const PathOfRanks& path) {
  const HostNumbers hosts = number_hosts(ranks);
  TopologyBuilder builder(hosts.names.size() == 1 ? hosts.names.front() : fmt::format("{} hosts", hosts.names.size()));
  std::vector<VertexId> nodes;
  std::vector<std::size_t> on_host(hosts.names.size(), 0);
  for (const std::string& host : hosts.names)
    nodes.push_back(builder.add_vertex({.kind = VertexKind::compute_node, .name = host, .node = host}));
  std::vector<std::size_t> seen = on_host;
  for (const std::size_t host : hosts.of_rank) ++on_host[host];
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const JobRank& rank = ranks[r];
    const std::size_t host = hosts.of_rank[r];
    const bool has_gpu = !rank.gpu_pci.empty() || !rank.gpu_uuid.empty();
    if (!has_gpu && on_host[host] == 1) {
      builder.add_place(PlaceKind::node, nodes[host]);
      continue;
    }
    Vertex vertex{.kind = has_gpu ? VertexKind::gpu : VertexKind::core,
                  .name = fmt::format("{}/{}", rank.host, seen[host]++),
                  .node = rank.host,
                  .uuid = rank.gpu_uuid,
                  .cpus = rank.cpus,
                  .parent = nodes[host]};
    if (has_gpu) vertex.pci = PciAddress::parse(rank.gpu_pci);
    builder.add_place(has_gpu ? PlaceKind::gpu : PlaceKind::core, builder.add_vertex(std::move(vertex)));
  }
  for (std::size_t a = 0; path && a < ranks.size(); ++a) {
    for (std::size_t b = a + 1; b < ranks.size(); ++b) builder.set_class(Place(a), Place(b), path(a, b));
  }
  return std::move(builder).build();
}

std::vector<std::optional<Place>> places_of(const Topology& machine, const std::vector<JobRank>& ranks) {
  std::vector<std::optional<Place>> found = unnamed_gpus(machine, ranks);
  const std::vector<std::optional<std::size_t>> rank_on = ranks_on(machine, ranks);
  for (std::size_t p = 0; p < rank_on.size(); ++p) {
    if (rank_on[p]) found[*rank_on[p]] = Place(p);
  }
  const bool one_host = number_hosts(ranks).names.size() == 1;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (std::size_t p = 0; p < rank_on.size() && !found[r]; ++p) {
      const PlaceEntry& place = machine.place(Place(p));
      if (place.kind == PlaceKind::node && stands_on(machine, place, ranks[r], one_host)) found[r] = Place(p);
    }
  }
  return found;
}

std::vector<std::optional<std::size_t>> ranks_on(const Topology& machine, const std::vector<JobRank>& ranks) {
  const bool one_host = number_hosts(ranks).names.size() == 1;
  std::vector<std::optional<std::size_t>> found(machine.place_count());
  std::vector<bool> taken(ranks.size(), false);
  for (std::size_t p = 0; p < found.size(); ++p) {
    for (std::size_t r = 0; r < ranks.size() && !found[p]; ++r) {
      if (taken[r] || !stands_on(machine, machine.place(Place(p)), ranks[r], one_host)) continue;
      found[p] = r;
      taken[r] = true;
    }
  }
  const bool are_slots =
      std::ranges::all_of(machine.places(), [](const PlaceEntry& place) { return place.kind == PlaceKind::slot; });
  if (are_slots && found.size() == ranks.size()) {
    for (std::size_t p = 0; p < found.size(); ++p) found[p] = p;
  }
  return found;
}

}  // namespace topowise::probe
