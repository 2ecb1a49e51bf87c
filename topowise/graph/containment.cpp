// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/containment.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace topowise {
namespace {

std::string of_levels(const Topology& topology) {
  const auto name = [&](std::size_t level) { return to_string(topology.levels()[level]); };
  const std::span<const double> distances = topology.level_distances();
  for (std::size_t level = 1; level < distances.size(); ++level) {
    if (distances[level] < distances[level - 1])
      return fmt::format("{} has distance {:g}, less than the {:g} of {}, which is nearer", name(level),
                         distances[level], distances[level - 1], name(level - 1));
  }
  for (std::size_t level = 0; level < distances.size(); ++level) {
    const bool is_vague = topology.levels()[level].kind == PathKind::measured || joins_nothing(topology);
    if (topology.level_scopes()[level] == LevelScope::mixed && !is_vague)
      return fmt::format("pairs of class {} are inside compute nodes and between them", name(level));
  }
  return {};
}

/// Looks for a place that is nearer to another node than to its own.
std::string of_pairs(const Topology& topology) {
  const std::size_t n = topology.place_count();
  std::vector<std::string> nodes;
  for (std::size_t p = 0; p < n; ++p) nodes.push_back(node_name(topology, topology.place(Place(p)).vertex));
  for (std::size_t a = 0; a < n; ++a) {
    std::optional<Place> farthest;
    std::optional<Place> nearest;
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b || nodes[a].empty() || nodes[b].empty() || is_bond(topology.path_class(Place(a), Place(b)))) continue;
      const double here = topology.distance(Place(a), Place(b));
      if (nodes[a] == nodes[b] && (!farthest || here > topology.distance(Place(a), *farthest))) farthest = Place(b);
      if (nodes[a] != nodes[b] && (!nearest || here < topology.distance(Place(a), *nearest))) nearest = Place(b);
    }
    if (farthest && nearest && topology.distance(Place(a), *nearest) < topology.distance(Place(a), *farthest))
      return fmt::format("{} is nearer to {} than to {}, which is in the same node", topology.vertex_of(Place(a)).name,
                         topology.vertex_of(*nearest).name, topology.vertex_of(*farthest).name);
  }
  return {};
}

/// The lowest and the highest rate of the pairs of a level, and whether all of them are known.
struct Rates {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  bool known = true;

  void add(double rate) {
    least = std::min(least, rate);
    most = std::max(most, rate);
    known = known && rate > 0;
  }
};

/// The rate of a pair; 0 if it is not known, or assumed.
double stated_rate(const Topology& topology, Place a, Place b) {
  if (topology.has_pair_matrix(Metric::bandwidth)) return topology.bandwidth(a, b).value();
  double narrowest = std::numeric_limits<double>::infinity();
  for (const LinkId id : topology.route(a, b)) {
    const Link& link = topology.link(id);
    if (link.source.is_assumed()) return 0;
    narrowest = std::min(narrowest, link.bandwidth.value());
  }
  return std::isinf(narrowest) ? 0 : narrowest;
}

/// Whether no link is faster than another, and no rate of a pair was measured.
bool has_equal_links(const Topology& topology) {
  const std::span<const Link> links = topology.links();
  return !topology.has_pair_matrix(Metric::bandwidth) && std::ranges::all_of(links, [&](const Link& link) {
    return link.bandwidth.value() == links.front().bandwidth.value();
  });
}

std::vector<Rates> rates_of_levels(const Topology& topology) {
  constexpr std::size_t kMostForPairs = 256;
  std::vector<Rates> rates(topology.levels().size());
  if (topology.place_count() <= kMostForPairs) {
    for (std::size_t a = 0; a < topology.place_count(); ++a) {
      for (std::size_t b = 0; b < topology.place_count(); ++b) {
        if (a != b)
          rates[static_cast<std::size_t>(topology.level(Place(a), Place(b)))].add(
              stated_rate(topology, Place(a), Place(b)));
      }
    }
  } else {
    for (std::size_t level = 0; level < rates.size(); ++level) {
      const auto [a, b] = topology.pair_of_level(level);
      rates[level].add(stated_rate(topology, a, b));
    }
  }
  return rates;
}

}  // namespace

std::string contradiction_in(const Topology& topology) {
  return topology.has_pair_matrix(Metric::distance) ? of_pairs(topology) : of_levels(topology);
}

bool joins_nothing(const Topology& topology) {
  return topology.levels().size() == 1 && topology.levels().front().kind == PathKind::unconnected &&
         std::isfinite(topology.level_distances().front()) && !topology.has_pair_matrix(Metric::distance);
}

std::string faster_far_level(const Topology& topology) {
  constexpr double kClearly = 1.05;  // measured rates spread by a few percent
  constexpr std::size_t kMostLevels = 4096;
  // No level of a ring or a mesh is faster than another if all links are alike; more levels nothing else has.
  if (topology.levels().size() > kMostLevels || (topology.network() != nullptr && has_equal_links(topology))) return {};
  const std::vector<Rates> rates = rates_of_levels(topology);
  for (std::size_t near = 0; near < rates.size(); ++near) {
    for (std::size_t far = rates.size(); far-- > near + 1;) {
      if (!rates[near].known || !rates[far].known || rates[far].least <= kClearly * rates[near].most) continue;
      return fmt::format("{} ({}) is faster than {} ({}), although it is farther", to_string(topology.levels()[far]),
                         to_string(BytesPerSecond(rates[far].least)), to_string(topology.levels()[near]),
                         to_string(BytesPerSecond(rates[near].most)));
    }
  }
  return {};
}

}  // namespace topowise
