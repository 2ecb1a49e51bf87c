// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/engine.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include <topowise/base/error.hpp>
#include <topowise/reorder/reorder.hpp>
#include <topowise/reorder/virtual_topology.hpp>
#include <topowise/topology_source/source.hpp>

namespace topowise::engine {
namespace {

/// The cluster as described, read once: every communicator of the job is asked about the same one.
const Topology& cluster(const std::string& argument) {
  static std::map<std::string, Topology> known;
  const auto found = known.find(argument);
  return found != known.end() ? found->second : known.emplace(argument, read_topology(argument)).first->second;
}

Traffic traffic_of(const Question& question) {
  switch (question.kind) {
    case Kind::cart: {
      const std::span extents(question.extents, static_cast<std::size_t>(question.dimensions));
      const auto periodic = std::make_unique<bool[]>(extents.size());
      for (std::size_t axis = 0; axis < extents.size(); ++axis) periodic[axis] = question.periodic[axis] != 0;
      return cartesian_traffic(extents, {periodic.get(), extents.size()});
    }
    case Kind::graph: {
      const std::span index(question.index, static_cast<std::size_t>(question.vertices));
      const auto edges = static_cast<std::size_t>(index.empty() ? 0 : std::max(0, index.back()));
      return graph_traffic(index, {question.neighbors, edges});
    }
    case Kind::edges:
      break;
  }
  std::vector<WeightedEdge> edges;
  edges.reserve(question.edge_count);
  for (const Edge& edge : std::span(question.edges, question.edge_count))
    edges.push_back({edge.source, edge.destination, static_cast<double>(edge.weight)});
  return edge_traffic(static_cast<std::size_t>(question.vertices), edges);
}

JobMachine machine_of(const Question& question, Answer& answer) {
  std::vector<std::string> hosts;
  for (std::int32_t process = 0; process < question.processes; ++process)
    hosts.emplace_back(question.hosts + static_cast<std::ptrdiff_t>(process) * question.host_bytes);
  std::vector<std::string> distinct = hosts;
  std::ranges::sort(distinct);
  const auto repeated = std::ranges::unique(distinct);
  answer.hosts = static_cast<std::int32_t>(repeated.begin() - distinct.begin());
  return question.topology == nullptr ? equal_hosts(hosts) : described_hosts(cluster(question.topology), hosts);
}

void answer_question(const Question& question, Answer& answer) {
  const JobMachine machine = machine_of(question, answer);
  const Reordering found = reorder(traffic_of(question), machine, {.time_limit = Seconds(question.seconds)});
  answer.vertices = static_cast<std::int32_t>(found.process_of_vertex.size());
  answer.trivial = found.trivial();
  answer.proven_optimal = found.proven_optimal;
  answer.cost_before = found.cost_before;
  answer.cost = found.cost;
  std::ranges::transform(found.process_of_vertex, answer.process_of_vertex,
                         [](std::size_t process) { return static_cast<std::int32_t>(process); });
}

bool refuse(Answer& answer, const char* why) {
  std::strncpy(answer.message, why, sizeof(answer.message) - 1);
  return false;
}

}  // namespace
}  // namespace topowise::engine

/// What kFunction names. Nothing is thrown into the caller.
extern "C" __attribute__((visibility("default"))) bool topowise_engine_reorder(
    const topowise::engine::Question* question, topowise::engine::Answer* answer) {
  if (question->version != topowise::engine::kVersion)
    return topowise::engine::refuse(*answer, "libtopowise_engine.so is of another version of topowise");
  try {
    topowise::engine::answer_question(*question, *answer);
    return true;
  } catch (const std::exception& error) {
    return topowise::engine::refuse(*answer, error.what());
  }
}
