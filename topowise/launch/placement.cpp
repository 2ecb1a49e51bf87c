// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/launch/placement.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <topowise/base/error.hpp>

namespace topowise {
namespace {

/// The processors nearest to a place: its own, else those of its nearest ancestor that states some.
std::string nearest_cpus(const Topology& topology, VertexId place) {
  for (std::optional<VertexId> v = place; v; v = topology.vertex(*v).parent) {
    if (!topology.vertex(*v).cpus.empty()) return topology.vertex(*v).cpus;
  }
  return {};
}

/// Gives the GPUs of one vendor their numbers: those that the source states; else those in their names, unless the bus
/// ids have another order; else they count in the order of the bus ids. `gpus` are in that order.
void set_numbers(std::vector<NodeGpu*>& gpus) {
  const auto all_differ = [&](const std::vector<int>& numbers) {
    return std::ranges::none_of(numbers, [](int number) { return number < 0; }) &&
           std::set<int>(numbers.begin(), numbers.end()).size() == numbers.size();
  };
  std::vector<int> stated;
  std::vector<int> named;
  for (const NodeGpu* gpu : gpus) {
    stated.push_back(gpu->number);
    named.push_back(number_in_name(gpu->name).value_or(-1));
  }
  const bool by_bus = std::ranges::all_of(gpus, [](const NodeGpu* gpu) { return gpu->pci.has_value(); });
  if (!all_differ(stated))
    stated = all_differ(named) && (!by_bus || std::ranges::is_sorted(named)) ? named : std::vector<int>();
  for (std::size_t i = 0; i < gpus.size(); ++i) gpus[i]->number = stated.empty() ? static_cast<int>(i) : stated[i];
}

/// Puts GPUs of one vendor in the order of their numbers, and GPUs of several vendors in that of their bus ids. Returns
/// for each GPU that was given where it now is.
std::vector<std::size_t> order_gpus(std::vector<NodeGpu>& gpus) {
  std::vector<std::size_t> order(gpus.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::ranges::all_of(gpus, [](const NodeGpu& gpu) { return gpu.pci.has_value(); }))
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return *gpus[i].pci; });
  std::map<GpuVendor, std::vector<NodeGpu*>> of_vendor;
  for (const std::size_t i : order) of_vendor[vendor_of(gpus[i])].push_back(&gpus[i]);
  for (auto& [vendor, own] : of_vendor) set_numbers(own);
  if (of_vendor.size() == 1) std::ranges::stable_sort(order, {}, [&](std::size_t i) { return gpus[i].number; });
  std::vector<NodeGpu> ordered;
  std::vector<std::size_t> now_at(gpus.size());
  for (const std::size_t i : order) {
    now_at[i] = ordered.size();
    ordered.push_back(std::move(gpus[i]));
  }
  gpus = std::move(ordered);
  return now_at;
}

bool are_cores_in_order(const Topology& topology, const std::vector<Place>& places) {
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (topology.place(places[k]).kind != PlaceKind::core) return false;
    if (topology.vertex_of(places[k]).cpus != std::to_string(k)) return false;
  }
  return true;
}

}  // namespace

std::size_t number_of(const PlacedNode& node, std::size_t gpu) {
  const int number = node.gpus[gpu].number;
  return number < 0 ? gpu : static_cast<std::size_t>(number);
}

bool has_gaps(const PlacedNode& node) {
  for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) {
    if (number_of(node, gpu) != gpu) return true;
  }
  return false;
}

std::vector<std::vector<std::size_t>> Placement::ranks_by_node() const {
  std::vector<std::vector<std::size_t>> found(nodes.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) found[ranks[rank].node].push_back(rank);
  return found;
}

bool knows_nodes(const Placement& placement) {
  return std::ranges::none_of(placement.ranks,
                              [&](const PlacedRank& rank) { return placement.nodes[rank.node].is_place(); });
}

Placement place_ranks(const Mapping& mapping, const Topology& topology) {
  for (const Place place : mapping.places()) {
    if (place.index() >= topology.place_count()) mapping.check(topology);  // throws
  }
  Placement placement;
  placement.topology = topology.name();
  std::map<std::string, std::size_t> node_of_name;
  const auto is_device = [](PlaceKind kind) { return kind == PlaceKind::gpu || kind == PlaceKind::core; };
  std::vector<std::vector<Place>> places_of;
  std::vector<std::size_t> node_of(topology.place_count());
  for (std::size_t p = 0; p < topology.place_count(); ++p) {
    const std::string name = node_name(topology, topology.place(Place(p)).vertex);
    const bool is_place = name.empty() && !is_device(topology.place(Place(p)).kind);
    const std::size_t next = placement.nodes.size();
    node_of[p] = is_place ? next : node_of_name.try_emplace(name, next).first->second;
    if (node_of[p] == next) {
      placement.nodes.push_back({.name = name,
                                 .gpus = {},
                                 .place = is_place ? std::optional(p) : std::nullopt,
                                 .is_invented = !name.empty() && topology.invents_hosts()});
      places_of.emplace_back();
    }
    places_of[node_of[p]].emplace_back(p);
  }
  std::vector<std::optional<std::size_t>> gpu_of(topology.place_count());
  for (std::size_t node = 0; node < placement.nodes.size(); ++node) {
    placement.nodes[node].cores_in_order = are_cores_in_order(topology, places_of[node]);
    std::vector<NodeGpu>& gpus = placement.nodes[node].gpus;
    std::vector<Place> gpu_places;
    for (const Place place : places_of[node]) {
      if (topology.place(place).kind != PlaceKind::gpu) continue;
      const Vertex& vertex = topology.vertex_of(place);
      gpu_places.push_back(place);
      gpus.push_back({.name = vertex.name,
                      .pci = vertex.pci,
                      .uuid = vertex.uuid,
                      .cpus = nearest_cpus(topology, topology.place(place).vertex),
                      .numa = vertex.numa,
                      .number = vertex.number,
                      .vendor = vertex.vendor});
    }
    const std::vector<std::size_t> now_at = order_gpus(gpus);
    for (std::size_t i = 0; i < gpu_places.size(); ++i) gpu_of[gpu_places[i].index()] = now_at[i];
  }
  std::vector<std::size_t> used(placement.nodes.size(), 0);
  for (const Place place : mapping.places()) {
    const std::size_t node = node_of[place.index()];
    placement.ranks.push_back({node, used[node]++, gpu_of[place.index()], topology.vertex_of(place).name,
                               nearest_cpus(topology, topology.place(place).vertex)});
  }
  return placement;
}

}  // namespace topowise
