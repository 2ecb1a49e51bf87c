// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/reorder.hpp>

#include <algorithm>
#include <numeric>

#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/best_answer.hpp>
#include <topowise/mapper/problem/hierarchy.hpp>
#include <topowise/mapper/problem/instance.hpp>
#include <topowise/mapper/search/improve.hpp>
#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/reorder/fewest_moves.hpp>
#include <topowise/reorder/inside_hosts.hpp>

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
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

/// The time of the local search; the rest ends by itself. A few ranks have few exchanges, and the search has soon seen
/// them all.
Seconds fast_time(std::size_t ranks) {
  constexpr double kEach = 1e-5;
  constexpr double kEachPair = 1e-6;
  constexpr double kMostForPairs = 0.0002;
  constexpr double kMost = 0.05;
  const auto count = static_cast<double>(ranks);
  const double for_pairs = std::min(kEachPair * count * count, kMostForPairs);
  return Seconds(std::min(kEach * count + for_pairs, kMost));
}

/// Above this number of places, all pairs of them are too many to look at.
constexpr std::size_t kMostInPairs = 512;

/// The machine as parts that are alike; nothing where it has none, or is too large to tell.
std::optional<Hierarchy> alike(const MapProblem& problem, const JobMachine& machine) {
  if (machine.equally_far) return equally_far(problem);
  if (problem.allowed.size() > kMostInPairs) return std::nullopt;
  return find_hierarchy(problem);
}

}  // namespace

bool Reordering::trivial() const {
  for (std::size_t vertex = 0; vertex < process_of_vertex.size(); ++vertex) {
    if (process_of_vertex[vertex] != vertex) return false;
  }
  return true;
}

namespace {

/// `mapped(problem, now, bound)` returns a mapping, and writes the bound that it proves, or 0, to `bound`.
template <class Mapped>
Reordering reordered(const Traffic& graph, const JobMachine& machine, Mapped mapped) {
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
  answer.cost_before = hop_bytes(graph, machine.topology, now, machine.metric);
  answer.cost = answer.cost_before;
  answer.proven_optimal = answer.cost_before == 0;
  if (answer.proven_optimal) return answer;
  const MapProblem problem{
      .traffic = graph, .topology = machine.topology, .metric = machine.metric, .allowed = std::move(places)};
  double bound = 0;
  Mapping found = mapped(problem, now, bound);
  const double cost = hop_bytes(graph, machine.topology, found, machine.metric);
  answer.proven_optimal = std::min(cost, answer.cost_before) <= bound;
  if (cost >= answer.cost_before) return answer;
  if (const std::optional<Hierarchy> parts = alike(problem, machine)) found = fewest_moves(*parts, found, now);
  answer.cost = cost;
  answer.process_of_vertex = play(found, machine);
  return answer;
}

Reordering reordered_by_search(const Traffic& graph, const JobMachine& machine, const MapOptions& options) {
  return reordered(graph, machine, [&](const MapProblem& problem, const Mapping&, double& bound) {
    const MappingResult found = map_ranks(problem, "auto", options);
    bound = found.proven_optimal ? found.cost : found.lower_bound;
    return found.mapping;
  });
}

Reordering reordered_fast(const Traffic& graph, const JobMachine& machine) {
  return reordered(graph, machine, [&](const MapProblem& problem, const Mapping& now, double&) {
    MapOptions options = steps_of(fast_time(graph.ranks()));
    options.threads = 1;  // the job has its own on the other processors
    options.bound_time = Seconds(0);
    const Budget budget(options);
    BestAnswer best(problem, budget, {.mapping = now, .cost = cost_of(problem, now)});
    for (const std::string_view mapper : {"multilevel-fast", "grid"}) {
      MappingResult found = map_ranks(problem, mapper, options);
      best.enter({.mapping = std::move(found.mapping), .cost = found.cost});
    }
    if (best.is_proven() || problem.allowed.size() > kMostInPairs) return best.best().mapping;
    return improve(problem, best.best().mapping, Budget(options), 0).mapping;
  });
}

/// Reorders first among the hosts, then among the parts of each host. `answer_for(graph, machine, share)` reorders one
/// of these jobs in its share of the time that all of them have.
template <class AnswerFor>
Reordering hosts_then_parts(const Traffic& graph, const JobMachine& machine, AnswerFor answer_for) {
  const bool both = !machine.part_of_process.empty() && places_of(machine).size() > 1;
  const double share = both ? 0.5 : 1;
  Reordering answer = answer_for(graph, machine, share);
  const std::vector<HostJob> hosts = jobs_of_hosts(graph, machine, answer.process_of_vertex);
  for (const HostJob& host : hosts) {
    const Reordering inside = answer_for(host.graph, host.machine, share / static_cast<double>(hosts.size()));
    answer.inside_before += inside.cost_before;
    answer.inside += inside.cost;
    for (std::size_t i = 0; i < host.vertices.size(); ++i)
      answer.process_of_vertex[host.vertices[i]] = host.processes[inside.process_of_vertex[i]];
  }
  return answer;
}

/// The options with that share of the time.
MapOptions with_share(MapOptions options, double share) {
  options.time_limit = options.time_limit * share;
  return options;
}

}  // namespace

Reordering reorder(const Traffic& graph, const JobMachine& machine, const MapOptions& options) {
  return hosts_then_parts(graph, machine, [&](const Traffic& job, const JobMachine& on, double share) {
    return reordered_by_search(job, on, with_share(options, share));
  });
}

Reordering reorder_fast(const Traffic& graph, const JobMachine& machine) {
  return hosts_then_parts(graph, machine,
                          [](const Traffic& job, const JobMachine& on, double) { return reordered_fast(job, on); });
}

Reordering reorder(const Traffic& graph, const JobMachine& machine, const std::optional<MapOptions>& options) {
  if (!options) return reorder_fast(graph, machine);
  return hosts_then_parts(graph, machine, [&](const Traffic& job, const JobMachine& on, double share) {
    Reordering searched = reordered_by_search(job, on, with_share(*options, share));
    if (searched.proven_optimal) return searched;
    Reordering fast = reordered_fast(job, on);
    return fast.cost < searched.cost ? fast : searched;
  });
}

}  // namespace topowise
