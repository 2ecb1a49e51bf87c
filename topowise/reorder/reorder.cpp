// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/reorder.hpp>

#include <algorithm>
#include <numeric>

#include <topowise/mapper/mapper.hpp>
#include <topowise/predict/objective/hop_bytes.hpp>

namespace topowise {
namespace {

/// A process for each vertex, on the place that the mapping gives it; the vertex's own process where that is there.
std::vector<std::size_t> play(const Mapping& mapping, const JobMachine& machine) {
  const std::size_t vertices = mapping.ranks();
  std::vector<std::vector<std::size_t>> free(machine.topology.place_count());
  std::vector<std::size_t> process_of_vertex(vertices);
  std::vector<bool> placed(vertices, false);
  for (std::size_t process = 0; process < machine.place_of_process.size(); ++process) {
    const Place place = machine.place_of_process[process];
    if (process < vertices && mapping[Rank(process)] == place) {
      process_of_vertex[process] = process;
      placed[process] = true;
    } else {
      free[place.index()].push_back(process);
    }
  }
  std::vector<std::size_t> next(free.size(), 0);
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    const std::size_t place = mapping[Rank(vertex)].index();
    if (!placed[vertex]) process_of_vertex[vertex] = free[place][next[place]++];
  }
  return process_of_vertex;
}

/// Places with processes of the job, in order.
std::vector<Place> places_of(const JobMachine& machine) {
  std::vector<Place> places = machine.place_of_process;
  std::ranges::sort(places);
  const auto repeated = std::ranges::unique(places);
  places.erase(repeated.begin(), repeated.end());
  return places;
}

}  // namespace

bool Reordering::trivial() const {
  for (std::size_t vertex = 0; vertex < process_of_vertex.size(); ++vertex) {
    if (process_of_vertex[vertex] != vertex) return false;
  }
  return true;
}

Reordering reorder(const Traffic& graph, const JobMachine& machine, const MapOptions& options) {
  Reordering answer;
  answer.process_of_vertex.resize(graph.ranks());
  std::iota(answer.process_of_vertex.begin(), answer.process_of_vertex.end(), std::size_t{0});
  std::vector<Place> places = places_of(machine);
  if (places.size() < 2 || graph.total_bytes().value() == 0) {
    answer.proven_optimal = true;
    return answer;
  }
  const auto own = machine.place_of_process.begin();
  const Mapping now(std::vector<Place>(own, own + static_cast<std::ptrdiff_t>(graph.ranks())));
  answer.cost_before = hop_bytes(graph, machine.topology, now, Metric::distance);
  answer.cost = answer.cost_before;
  const MapProblem problem{.traffic = graph, .topology = machine.topology, .allowed = std::move(places)};
  const MappingResult found = map_ranks(problem, "auto", options);
  answer.proven_optimal = found.proven_optimal || answer.cost_before <= found.lower_bound;
  if (found.cost >= answer.cost_before) return answer;
  answer.cost = found.cost;
  answer.process_of_vertex = play(found.mapping, machine);
  return answer;
}

Seconds reorder_time(std::size_t processes) {
  constexpr double kLeast = 0.005;
  constexpr double kEach = 1e-4;
  return Seconds(std::min(kLeast + kEach * static_cast<double>(processes), 1.0));
}

}  // namespace topowise
