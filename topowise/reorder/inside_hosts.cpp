// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/inside_hosts.hpp>

namespace topowise {
namespace {

/// What is on each place.
struct Members {
  std::vector<std::size_t> vertices;
  std::vector<std::size_t> processes;  ///< those that play the vertices, then the others
};

std::vector<Members> by_place(const JobMachine& machine, const std::vector<std::size_t>& process_of_vertex) {
  std::vector<Members> places(machine.topology.place_count());
  std::vector<bool> plays(machine.place_of_process.size(), false);
  const auto place_of = [&](std::size_t process) -> Members& {
    return places[machine.place_of_process[process].index()];
  };
  for (std::size_t vertex = 0; vertex < process_of_vertex.size(); ++vertex) {
    const std::size_t process = process_of_vertex[vertex];
    place_of(process).vertices.push_back(vertex);
    place_of(process).processes.push_back(process);
    plays[process] = true;
  }
  for (std::size_t process = 0; process < plays.size(); ++process) {
    if (!plays[process]) place_of(process).processes.push_back(process);
  }
  return places;
}

std::vector<NodePart> parts_of(const JobMachine& machine, const std::vector<std::size_t>& processes) {
  std::vector<NodePart> parts;
  for (const std::size_t process : processes) parts.push_back(machine.part_of_process[process]);
  return parts;
}

}  // namespace

std::vector<HostJob> jobs_of_hosts(const Traffic& graph, const JobMachine& machine,
                                   const std::vector<std::size_t>& process_of_vertex) {
  std::vector<HostJob> jobs;
  if (machine.part_of_process.empty()) return jobs;
  std::vector<std::size_t> number(graph.ranks());  // the number of each vertex on its place
  std::vector<Members> places = by_place(machine, process_of_vertex);
  for (const Members& place : places) {
    for (std::size_t i = 0; i < place.vertices.size(); ++i) number[place.vertices[i]] = i;
  }
  for (Members& place : places) {
    const std::vector<NodePart> parts = parts_of(machine, place.processes);
    if (place.vertices.size() < 2 || !are_divided(parts)) continue;
    const Place here = machine.place_of_process[place.processes.front()];
    std::vector<TrafficEntry> entries;
    for (const std::size_t vertex : place.vertices) {
      for (const TrafficEntry& entry : graph.sent_by(Rank(vertex))) {
        const std::size_t other = entry.destination.index();
        if (machine.place_of_process[process_of_vertex[other]] != here) continue;
        entries.push_back({Rank(number[vertex]), Rank(number[other]), entry.bytes, entry.messages});
      }
    }
    jobs.push_back({Traffic::from_entries(place.vertices.size(), std::move(entries)), parts_of_host(parts),
                    std::move(place.vertices), std::move(place.processes)});
  }
  return jobs;
}

}  // namespace topowise
