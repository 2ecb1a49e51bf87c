// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/benchmark/selection.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>

#include <topowise/base/error.hpp>

namespace topowise::benchmark {
namespace {

/// As much as `run --auto` lets the start of a job wait; and more, where the question is what a graph is worth and not
/// how fast it is mapped.
constexpr Seconds kStartWork(0.05), kGraphWork(0.5);

/// No mapper of the registry: ranks in turn over the compute nodes, as launchers count them with --map-by node.
constexpr std::string_view kOverNodes = "over nodes";

constexpr std::array<Selection, 5> kGpuSelections{
    {{.name = "default", .mapper = ""},
     {.name = "distance", .mapper = "auto", .work = kStartWork},
     {.name = "latency", .mapper = "auto", .metric = Metric::latency, .work = kStartWork},
     {.name = "bandwidth", .mapper = "auto", .metric = Metric::bandwidth, .work = kStartWork},
     {.name = "scotch", .mapper = "scotch", .work = kStartWork}}};

constexpr std::array<Selection, 5> kGraphSelections{
    {{.name = "block", .mapper = "identity"},
     {.name = "cyclic", .mapper = kOverNodes},
     {.name = "non-weighted", .mapper = "auto", .weighted = false, .network_aware = false, .work = kGraphWork},
     {.name = "weighted", .mapper = "auto", .network_aware = false, .work = kGraphWork},
     {.name = "network-aware", .mapper = "auto", .work = kGraphWork}}};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Slots of each node are filled in order; a machine without nodes is one.
Mapping cyclic_over_nodes(const Places& places) {
  std::vector<Place> slots = places.place_of;
  std::ranges::sort(slots);
  std::vector<std::pair<std::string, std::deque<Place>>> nodes;
  for (const Place slot : slots) {
    const std::string name = node_name(places.machine, places.machine.place(slot).vertex);
    auto at = std::ranges::find(nodes, name, &std::pair<std::string, std::deque<Place>>::first);
    if (at == nodes.end()) at = nodes.insert(at, {name, {}});
    at->second.push_back(slot);
  }
  std::vector<Place> place_of;
  while (place_of.size() < slots.size()) {
    for (auto& [name, left] : nodes) {
      if (left.empty()) continue;
      place_of.push_back(left.front());
      left.pop_front();
    }
  }
  return Mapping(std::move(place_of));
}

MapProblem problem_of(const Workload& workload, int weight, const Places& places, const Selection& selection) {
  MapProblem problem{.traffic = workload.traffic(selection.weighted ? weight : 1, 1),
                     .topology = selection.network_aware ? places.machine : without_network(places.machine),
                     .metric = selection.metric};
  std::vector<Place> used = places.place_of;
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  problem.allowed = std::move(used);
  return problem;
}

}  // namespace

std::span<const Selection> gpu_selections() {
  return kGpuSelections;
}

std::span<const Selection> graph_selections() {
  return kGraphSelections;
}

Places Places::in_order(const Topology& machine, std::size_t ranks) {
  Places places{machine, {}};
  for (std::size_t p = 0; p < machine.place_count(); ++p) {
    for (int slot = 0; slot < machine.place(Place(p)).capacity && places.place_of.size() < ranks; ++slot)
      places.place_of.emplace_back(p);
  }
  if (places.place_of.size() < ranks)
    throw usage_error(fmt::format("{} ranks do not fit: '{}' holds {}", ranks, machine.name(), places.place_of.size()),
                      "fewer --ranks, or another --topology");
  return places;
}

std::vector<Chosen> choose(const Workload& workload, int weight, const Places& places,
                           std::span<const Selection> selections, std::vector<std::string>& notes) {
  std::vector<Chosen> all;
  for (const Selection& selection : selections) {
    const auto start = std::chrono::steady_clock::now();
    if (selection.mapper.empty()) {
      all.push_back({std::string(selection.name), Mapping(places.place_of), 0});
      continue;
    }
    if (selection.mapper == kOverNodes) {
      all.push_back({std::string(selection.name), cyclic_over_nodes(places), seconds_since(start)});
      continue;
    }
    try {
      const MapProblem problem = problem_of(workload, weight, places, selection);
      MappingResult result = map_ranks(problem, selection.mapper, steps_of(selection.work));
      all.push_back({std::string(selection.name), std::move(result.mapping), seconds_since(start)});
    } catch (const Error& error) {
      const bool is_lack = error.status() == ExitStatus::not_available || error.status() == ExitStatus::bad_input;
      if (!is_lack || all.empty()) throw;
      notes.push_back(fmt::format("without the mapping '{}': {}", selection.name, error.what()));
    }
  }
  return all;
}

Topology without_network(const Topology& machine) {
  const std::size_t n = machine.place_count();
  std::vector<std::string> node;
  for (std::size_t p = 0; p < n; ++p) node.push_back(node_name(machine, machine.place(Place(p)).vertex));
  double farthest = 0;
  PairMatrix distances{.values = std::vector<double>(n * n, 0.0), .source = "all compute nodes alike"};
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      distances.values[a * n + b] = machine.distance(Place(a), Place(b));
      farthest = std::max(farthest, distances.values[a * n + b]);
    }
  }
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (node[a] != node[b]) distances.values[a * n + b] = farthest;
    }
  }
  TopologyBuilder builder(machine);
  builder.set_pair_matrix(Metric::distance, std::move(distances));
  return std::move(builder).build();
}

}  // namespace topowise::benchmark
