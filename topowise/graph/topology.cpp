// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/topology.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include <topowise/base/error.hpp>
#include <topowise/graph/topology_parts.hpp>

namespace topowise {
namespace {

void check_pair(const Topology& topology, Place a, Place b) {
  if (const std::size_t larger = std::max(a.index(), b.index()); larger >= topology.place_count()) [[unlikely]]
    throw bad_input(fmt::format("place {} does not exist, the last of '{}' is {}", larger, topology.name(),
                                topology.place_count() - 1));
}

}  // namespace

const std::string& Topology::name() const {
  return parts_->name;
}
std::span<const Vertex> Topology::vertices() const {
  return parts_->vertices;
}
std::span<const Link> Topology::links() const {
  return parts_->links;
}
std::span<const PlaceEntry> Topology::places() const {
  return parts_->places;
}
std::span<const Forwarding> Topology::forwarding() const {
  return parts_->forwarding;
}
const std::map<LinkId, std::vector<std::string>>& Topology::adapters() const {
  return parts_->adapters;
}
std::span<const std::string> Topology::warnings() const {
  return parts_->warnings;
}
std::span<const std::string> Topology::assumptions() const {
  return parts_->assumptions;
}
bool Topology::invents_hosts() const {
  return parts_->invents_hosts;
}
const CongestionParameters& Topology::congestion() const {
  return parts_->congestion;
}
std::optional<std::size_t> Topology::group_without_network(Place place) const {
  if (!parts_->cluster || !parts_->stated_classes.empty() || !parts_->staged.empty()) return std::nullopt;
  return parts_->cluster->node_of(place.index());
}
std::vector<std::uint32_t> Topology::switch_sets() const {
  std::vector<std::uint32_t> of_place;
  if (!parts_->cluster || !parts_->stated_classes.empty() || !parts_->staged.empty()) return of_place;
  const std::vector<std::uint32_t> of_node = parts_->cluster->switch_sets();
  if (of_node.empty()) return of_place;
  for (std::size_t place = 0; place < place_count(); ++place)
    of_place.push_back(of_node[parts_->cluster->node_of(place)]);
  return of_place;
}
std::span<const int> Topology::arities() const {
  return parts_->arities;
}
const NetworkShape* Topology::network() const {
  return parts_->network ? &parts_->network->shape() : nullptr;
}
std::span<const PathClass> Topology::levels() const {
  return parts_->levels;
}
std::pair<Place, Place> Topology::pair_of_level(std::size_t level) const {
  return parts_->representatives[level];
}
std::span<const LevelScope> Topology::level_scopes() const {
  return parts_->scopes;
}
std::span<const double> Topology::level_distances() const {
  return parts_->level_distances;
}
const std::map<std::pair<Place, Place>, PathClass>& Topology::stated_classes() const {
  return parts_->stated_classes;
}

std::size_t Topology::capacity() const {
  return std::accumulate(
      places().begin(), places().end(), std::size_t{0},
      [](std::size_t sum, const PlaceEntry& place) { return sum + static_cast<std::size_t>(place.capacity); });
}

const std::set<std::pair<Place, Place>>& Topology::without_peer_access() const {
  return parts_->without_peer_access;
}

int Topology::level(Place a, Place b) const {
  check_pair(*this, a, b);
  if (a == b) return -1;
  if (!parts_->dense_levels.empty()) return parts_->dense_levels[a.index() * place_count() + b.index()];
  if (parts_->network)
    return parts_->level_of_hops[static_cast<std::size_t>(parts_->network->hops(a.index(), b.index()))];
  return static_cast<int>(std::ranges::find(parts_->levels, parts_->classify_pair(a, b)) - parts_->levels.begin());
}

PathClass Topology::path_class(Place a, Place b) const {
  check_pair(*this, a, b);
  return a == b ? PathClass{} : parts_->levels[static_cast<std::size_t>(level(a, b))];
}

double Topology::distance(Place a, Place b) const {
  check_pair(*this, a, b);
  if (a == b) return 0.0;
  if (const auto& matrix = parts_->pair_matrices[static_cast<std::size_t>(Metric::distance)])
    return matrix->values[a.index() * place_count() + b.index()];
  return parts_->level_distances[static_cast<std::size_t>(level(a, b))];
}

BytesPerSecond Topology::bandwidth(Place a, Place b) const {
  check_pair(*this, a, b);
  double narrowest = std::numeric_limits<double>::infinity();
  if (a == b) return BytesPerSecond(narrowest);
  if (const auto& matrix = parts_->pair_matrices[static_cast<std::size_t>(Metric::bandwidth)]) {
    return BytesPerSecond(matrix->values[a.index() * place_count() + b.index()]);
  }
  for (const LinkId id : route(a, b)) narrowest = std::min(narrowest, link(id).bandwidth.value());
  return BytesPerSecond(narrowest == std::numeric_limits<double>::infinity() ? 0.0 : narrowest);
}

Seconds Topology::latency(Place a, Place b) const {
  check_pair(*this, a, b);
  if (a == b) return Seconds();
  if (const auto& matrix = parts_->pair_matrices[static_cast<std::size_t>(Metric::latency)])
    return Seconds(matrix->values[a.index() * place_count() + b.index()]);
  Seconds sum;
  for (const LinkId id : route(a, b)) {
    if (link(id).latency == Seconds()) return Seconds();  // one unknown makes the sum unknown
    sum += link(id).latency;
  }
  return sum;
}

bool Topology::has_pair_matrix(Metric metric) const {
  return parts_->pair_matrices[static_cast<std::size_t>(metric)].has_value();
}

const PairMatrix* Topology::pair_matrix(Metric metric) const {
  const auto& matrix = parts_->pair_matrices[static_cast<std::size_t>(metric)];
  return matrix ? &*matrix : nullptr;
}

const Provenance& Topology::pair_matrix_source(Metric metric) const {
  static const Provenance unknown;
  const auto& matrix = parts_->pair_matrices[static_cast<std::size_t>(metric)];
  return matrix ? matrix->source : unknown;
}

/// How good a pair is under a metric: higher is better, 0 if not known.
double Topology::pair_worth(Metric metric, Place a, Place b) const {
  const PairMatrix* matrix = pair_matrix(metric);
  if (matrix != nullptr && !matrix->affinity.empty()) return matrix->affinity[a.index() * place_count() + b.index()];
  if (metric == Metric::bandwidth) return bandwidth(a, b).value();
  const double seconds = latency(a, b).value();
  return seconds > 0 ? 1.0 / seconds : 0.0;
}

double Topology::best_pair(Metric metric) const {
  const auto slot = static_cast<std::size_t>(metric);
  std::call_once(parts_->best_pair_once[slot], [&] {
    double best = 0.0;
    const auto look = [&](Place a, Place b) { best = std::max(best, pair_worth(metric, a, b)); };
    // Of a network of equal links the nearest places are a best pair, and each level has one that stands for it.
    const bool is_even = parts_->network != std::nullopt && !has_pair_matrix(metric) &&
                         std::ranges::all_of(links(), [&](const Link& link) {
                           return link.bandwidth.value() == links().front().bandwidth.value() &&
                                  link.latency.value() == links().front().latency.value();
                         });
    if (place_count() <= kLargestDense && !is_even) {
      for (std::size_t a = 0; a < place_count(); ++a) {
        for (std::size_t b = 0; b < place_count(); ++b) {
          if (a != b) look(Place(a), Place(b));
        }
      }
    } else {
      for (const auto& [a, b] : parts_->representatives) look(a, b);
    }
    parts_->best_pair_value[slot] = best;
  });
  return parts_->best_pair_value[slot];
}

/// The hops of a pair as a cost. Rashti et al. (EuroMPI 2011, section 4.2.1) give a mapper loads of edges, which are
/// higher for nearer places: 1 for the farthest nodes, the most hops for the nearest nodes, and more inside a node, by
/// the depth of the common ancestor. This cost has the same order, with lower for nearer: below 1 for what stays inside
/// a node of a network.
double Topology::hops(Place a, Place b) const {
  const auto is_graded = [](PathClass path) { return path.kind == PathKind::network || path.kind == PathKind::tree; };
  const auto at = static_cast<std::size_t>(level(a, b));
  const PathClass path = levels()[at];
  if (path.kind == PathKind::unconnected) return std::numeric_limits<double>::infinity();
  const bool leaves = level_scopes()[at] == LevelScope::between;
  if (is_graded(path) && (leaves || std::ranges::find(level_scopes(), LevelScope::between) == level_scopes().end()))
    return std::max(1, path.grade);
  return leaves ? 1.0 : (static_cast<double>(at) + 1.0) / (static_cast<double>(levels().size()) + 1.0);
}

double Topology::pair_cost(Metric metric, Place a, Place b) const {
  check_pair(*this, a, b);
  if (a == b) return 0.0;
  if (metric == Metric::distance) return distance(a, b);
  if (metric == Metric::hops) return hops(a, b);
  const double worth = pair_worth(metric, a, b);
  if (!(worth > 0)) {
    throw bad_input(fmt::format("the {} between {} and {} of '{}' is not known", to_string(metric), vertex_of(a).name,
                                vertex_of(b).name, name()),
                    "--metric distance needs no measured or nominal rates");
  }
  return best_pair(metric) / worth;
}

std::vector<LinkId> Topology::route(Place a, Place b) const {
  check_pair(*this, a, b);
  return a == b ? std::vector<LinkId>{} : parts_->route(a, b);
}
std::span<const LinkId> Topology::links_from(VertexId vertex) const {
  return parts_->routing->links_from(vertex);
}

std::string node_name(const Topology& topology, VertexId vertex) {
  return std::string(node_above(topology.vertices(), vertex));
}

std::string name_in_node(const Topology& topology, VertexId vertex) {
  const std::string& name = topology.vertex(vertex).name;
  const std::string prefix = node_name(topology, vertex) + ":";
  return prefix.size() > 1 && name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

}  // namespace topowise
