// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/distributed/machine_parts.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <topowise/mapper/multilevel/host.hpp>
#include <topowise/mapper/multilevel/multisection.hpp>

namespace topowise::distributed {
namespace {

using multilevel::Host;
using multilevel::HostNode;

/// The partitioner gets the complete graph of the parts.
constexpr std::size_t kMostParts = 1024;

/// Blocks from `first` up to but without `end`.
struct Blocks {
  int first;
  int end;
};

std::vector<Blocks> level_with(const Host& host, std::size_t least) {
  std::vector<HostNode> level{host.nodes().front()};
  const auto inner = [](const HostNode& node) { return node.children > 0; };
  while (level.size() < least && std::ranges::any_of(level, inner)) {
    std::vector<HostNode> below;
    for (const HostNode& node : level) {
      if (!inner(node)) below.push_back(node);
      for (const HostNode& child : host.children_of(node)) below.push_back(child);
    }
    level = std::move(below);
  }
  std::vector<Blocks> parts;
  // If a level is too wide for the partitioner, several neighbours become one part.
  const std::size_t together = (level.size() + kMostParts - 1) / kMostParts;
  for (std::size_t i = 0; i < level.size(); i += together) {
    const HostNode& last = level[std::min(i + together, level.size()) - 1];
    parts.push_back({level[i].first_block, last.first_block + last.blocks});
  }
  return parts;
}

/// The places of every block: those that its ranks get when it is full.
std::vector<std::vector<Place>> places_of_blocks(const Host& host) {
  std::vector<int> full;
  for (std::size_t b = 0; b < host.blocks(); ++b)
    full.insert(full.end(), static_cast<std::size_t>(host.capacity()[b]), static_cast<int>(b));
  const std::vector<Place> slots = host.places_of(full);
  std::vector<std::vector<Place>> places(host.blocks());
  for (std::size_t i = 0; i < full.size(); ++i) {
    std::vector<Place>& here = places[static_cast<std::size_t>(full[i])];
    if (here.empty() || here.back() != slots[i]) here.push_back(slots[i]);
  }
  return places;
}

/// A few places spread evenly over a part stand for all of it.
std::vector<Place> sample(const std::vector<Place>& places) {
  constexpr std::size_t kFew = 8;
  std::vector<Place> few;
  const std::size_t count = std::min(kFew, places.size());
  for (std::size_t i = 0; i < count; ++i) few.push_back(places[i * places.size() / count]);
  return few;
}

double between(const MapProblem& problem, const std::vector<Place>& from, const std::vector<Place>& to) {
  double sum = 0;
  for (const Place a : from) {
    for (const Place b : to)
      sum += (problem.topology.pair_cost(problem.metric, a, b) + problem.topology.pair_cost(problem.metric, b, a)) / 2;
  }
  return sum / static_cast<double>(from.size() * to.size());
}

/// The distance of the nearest neighbours: once a part is mapped well, they exchange most of what stays in it.
double nearest(const MapProblem& problem, const std::vector<Place>& places) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < places.size(); ++i)
    least = std::min(least, problem.topology.pair_cost(problem.metric, places[i - 1], places[i]));
  return places.size() > 1 ? least : 0.0;
}

}  // namespace

int MachineParts::process_of(std::size_t part, int processes) const {
  return static_cast<int>(part * static_cast<std::size_t>(processes) / size());
}

MachineParts cut_machine(const MapProblem& problem, std::size_t least, const Deadline& deadline) {
  const Host host(problem, deadline);
  const std::vector<std::int64_t> compact =
      multilevel::compact_capacity(host, static_cast<std::int64_t>(problem.traffic.ranks()));
  const std::vector<std::vector<Place>> places = places_of_blocks(host);
  MachineParts parts;
  std::vector<std::vector<Place>> samples;
  for (const Blocks& blocks : level_with(host, least)) {
    std::vector<Place> here;
    for (int b = blocks.first; b < blocks.end; ++b)
      here.insert(here.end(), places[static_cast<std::size_t>(b)].begin(), places[static_cast<std::size_t>(b)].end());
    const std::int64_t capacity =
        std::accumulate(compact.begin() + blocks.first, compact.begin() + blocks.end, std::int64_t{0});
    if (capacity == 0) continue;
    parts.capacity.push_back(capacity);
    samples.push_back(sample(here));
    parts.places.push_back(std::move(here));
  }
  const std::size_t count = parts.size();
  parts.distance.resize(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    parts.distance[a * count + a] = nearest(problem, parts.places[a]);
    for (std::size_t b = 0; b < a; ++b)
      parts.distance[a * count + b] = parts.distance[b * count + a] = between(problem, samples[a], samples[b]);
  }
  return parts;
}

}  // namespace topowise::distributed
