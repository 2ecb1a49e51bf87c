// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <topowise/base/error.hpp>
#include <topowise/graph/levels.hpp>
#include <topowise/graph/staged_routes.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/topology_parts.hpp>

namespace topowise {
namespace {

void check_places(const TopologyParts& parts) {
  if (parts.places.empty()) throw bad_input(fmt::format("'{}' has no place for a rank", parts.name));
  for (const auto& [a, b] : parts.without_peer_access) {
    if (b.index() >= parts.places.size() || a == b)
      throw bad_input(fmt::format("'{}' has a pair without peer access that is no pair of its places", parts.name));
  }
  for (const PlaceEntry& place : parts.places) {
    if (place.vertex.index() >= parts.vertices.size())
      throw bad_input(
          fmt::format("a place of '{}' is on vertex {}, which does not exist", parts.name, place.vertex.index()));
    if (place.capacity < 1)
      throw bad_input(
          fmt::format("place '{}' has capacity {}", parts.vertices[place.vertex.index()].name, place.capacity));
  }
}

/// O(vertices): every walk towards the root stops at a vertex that an earlier walk has passed.
void check_parents(const TopologyParts& parts) {
  enum class State : unsigned char { unseen, on_walk, ends_at_root };
  std::vector<State> state(parts.vertices.size(), State::unseen);
  for (std::size_t start = 0; start < parts.vertices.size(); ++start) {
    std::vector<std::size_t> walk;
    std::size_t v = start;
    while (state[v] == State::unseen) {
      state[v] = State::on_walk;
      walk.push_back(v);
      const std::optional<VertexId> parent = parts.vertices[v].parent;
      if (!parent) break;
      if (parent->index() >= parts.vertices.size())
        throw bad_input(fmt::format("the parent of '{}' does not exist", parts.vertices[v].name));
      v = parent->index();
      if (state[v] == State::on_walk) throw bad_input(fmt::format("'{}' is its own ancestor", parts.vertices[v].name));
    }
    for (const std::size_t passed : walk) state[passed] = State::ends_at_root;
  }
}

void check_links(const TopologyParts& parts) {
  for (const Link& link : parts.links) {
    if (std::max(link.from, link.to).index() >= parts.vertices.size())
      throw bad_input(fmt::format("a link of '{}' ends at a vertex that does not exist", parts.name));
    const std::string& from = parts.vertices[link.from.index()].name;
    if (link.from == link.to) throw bad_input(fmt::format("a link joins '{}' to itself", from));
    const bool sane = std::isfinite(link.bandwidth.value()) && link.bandwidth.value() >= 0 &&
                      std::isfinite(link.latency.value()) && link.latency.value() >= 0 && link.width >= 1;
    if (!sane)
      throw bad_input(
          fmt::format("the link from '{}' to '{}' has a width, bandwidth or latency that is negative or not a number",
                      from, parts.vertices[link.to.index()].name));
  }
}

void check_forwarding(const TopologyParts& parts) {
  for (const Forwarding& entry : parts.forwarding) {
    const bool there = entry.at.index() < parts.vertices.size() && entry.to.index() < parts.places.size() &&
                       entry.by.index() < parts.links.size();
    if (!there || parts.links[entry.by.index()].from != entry.at)
      throw bad_input(
          fmt::format("a forwarding table of '{}' names a vertex, place or link that is not there, or a "
                      "link that does not leave its vertex",
                      parts.name));
  }
}

void check_congestion(const std::string& of, const CongestionParameters& stated) {
  if (stated.tau && !(*stated.tau >= 0 && *stated.tau < 0.5))
    throw bad_input(fmt::format("tau of '{}' is '{}', it must be in [0, 0.5)", of, *stated.tau));
  if (stated.link_bandwidth && !(std::isfinite(stated.link_bandwidth->value()) && stated.link_bandwidth->value() > 0))
    throw bad_input(fmt::format("the link bandwidth of '{}' is '{}' B/s", of, stated.link_bandwidth->value()));
}

void check_matrices(const TopologyParts& parts) {
  const std::size_t n = parts.places.size();
  for (std::size_t metric = 0; metric < kMetrics; ++metric) {
    const std::optional<PairMatrix>& matrix = parts.pair_matrices[metric];
    if (!matrix) continue;
    if (matrix->values.size() != n * n)
      throw bad_input(fmt::format("the {} matrix has {} values, {} places need {}",
                                  to_string(static_cast<Metric>(metric)), matrix->values.size(), n, n * n));
    const PairStatistics& known = matrix->statistics;
    for (const std::vector<double>* more : {&matrix->affinity, &known.mean, &known.spread, &known.count}) {
      if (!more->empty() && more->size() != n * n)
        throw bad_input(fmt::format("what is stated beside the {} matrix has {} values, {} places need {}",
                                    to_string(static_cast<Metric>(metric)), more->size(), n, n * n));
    }
    for (std::size_t i = 0; i < n * n; ++i) {
      if (i / n != i % n && !(std::isfinite(matrix->values[i]) && matrix->values[i] >= 0)) {
        throw bad_input(fmt::format("the {} of places {} and {} is '{}'", to_string(static_cast<Metric>(metric)), i / n,
                                    i % n, matrix->values[i]));
      }
    }
  }
}

/// Level + 1. Pairs that no route joins are infinitely far where routes join others, or where a network is described;
/// else nothing is known of any pair.
std::vector<double> usual_distances(std::span<const PathClass> levels, std::span<const Link> links) {
  std::vector<double> distances(levels.size());
  std::iota(distances.begin(), distances.end(), 1.0);
  const bool has_network = std::ranges::any_of(links, [](const Link& link) { return link.kind == LinkKind::network; });
  if (!levels.empty() && levels.back().kind == PathKind::unconnected && (levels.size() > 1 || has_network))
    distances.back() = std::numeric_limits<double>::infinity();
  return distances;
}

/// Gives each level its distance: what the source states for it, else the usual one.
void set_distances(TopologyParts& parts) {
  const std::size_t given = parts.level_distances.size() + parts.class_distances.size();
  if (given == 0) {
    parts.level_distances = usual_distances(parts.levels, parts.links);
  } else if (given != parts.levels.size()) {
    throw bad_input(
        fmt::format("'{}' has {} levels, but {} level distances are given", parts.name, parts.levels.size(), given));
  } else if (!parts.class_distances.empty()) {
    parts.level_distances.clear();
    for (const PathClass level : parts.levels) {
      const auto stated = parts.class_distances.find(level);
      if (stated == parts.class_distances.end())
        throw bad_input(
            fmt::format("'{}' has pairs of class {}, but no distance is given for them", parts.name, to_string(level)));
      parts.level_distances.push_back(stated->second);
    }
  }
}

}  // namespace

TopologyBuilder::TopologyBuilder(std::string name) : parts_(std::make_unique<TopologyParts>()) {
  parts_->name = std::move(name);
}
TopologyBuilder::TopologyBuilder(const Topology& machine) : TopologyBuilder(machine.name()) {
  const auto copy = [](auto span) { return std::vector(span.begin(), span.end()); };
  parts_->vertices = copy(machine.vertices());
  parts_->links = copy(machine.links());
  parts_->places = copy(machine.places());
  parts_->warnings = copy(machine.warnings());
  parts_->assumptions = copy(machine.assumptions());
  parts_->invents_hosts = machine.invents_hosts();
  parts_->arities = copy(machine.arities());
  parts_->forwarding = copy(machine.forwarding());
  parts_->adapters = machine.adapters();
  parts_->congestion = machine.congestion();
  if (machine.network() != nullptr) parts_->stated_shape = *machine.network();
  parts_->stated_classes = machine.stated_classes();
  parts_->without_peer_access = machine.without_peer_access();
  // Usual distances are not stated: there may be other levels when the copy is built.
  parts_->level_distances = copy(machine.level_distances());
  if (parts_->level_distances == usual_distances(machine.levels(), machine.links())) parts_->level_distances.clear();
  for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth}) {
    if (const PairMatrix* matrix = machine.pair_matrix(metric)) set_pair_matrix(metric, *matrix);
  }
}
TopologyBuilder::~TopologyBuilder() = default;
TopologyBuilder::TopologyBuilder(TopologyBuilder&&) noexcept = default;
TopologyBuilder& TopologyBuilder::operator=(TopologyBuilder&&) noexcept = default;

void TopologyBuilder::reserve(std::size_t vertices, std::size_t links, std::size_t places) {
  parts_->vertices.reserve(vertices);
  parts_->links.reserve(links);
  parts_->places.reserve(places);
}

VertexId TopologyBuilder::add_vertex(Vertex vertex) {
  parts_->vertices.push_back(std::move(vertex));
  return VertexId(parts_->vertices.size() - 1);
}

void TopologyBuilder::set_parent(VertexId child, VertexId parent) {
  parts_->vertices[child.index()].parent = parent;
}

LinkId TopologyBuilder::add_link(Link link) {
  parts_->links.push_back(std::move(link));
  return LinkId(parts_->links.size() - 1);
}

void TopologyBuilder::add_links(Link link) {
  Link back = link;
  std::swap(back.from, back.to);
  add_link(std::move(link));
  add_link(std::move(back));
}

void TopologyBuilder::set_bandwidth(LinkId link, BytesPerSecond bandwidth, Provenance source) {
  parts_->links[link.index()].bandwidth = bandwidth;
  parts_->links[link.index()].source = std::move(source);
}

Place TopologyBuilder::add_place(PlaceKind kind, VertexId vertex, int capacity) {
  parts_->places.push_back({kind, vertex, capacity});
  return Place(parts_->places.size() - 1);
}

void TopologyBuilder::set_capacity(Place place, int capacity) {
  parts_->places[place.index()].capacity = capacity;
}

std::size_t TopologyBuilder::place_count() const {
  return parts_->places.size();
}
const Vertex& TopologyBuilder::vertex(VertexId id) const {
  return parts_->vertices[id.index()];
}
void TopologyBuilder::set_class(Place a, Place b, PathClass path) {
  parts_->stated_classes[std::minmax(a, b)] = path;
}
void TopologyBuilder::refuse_peer_access(Place a, Place b) {
  parts_->without_peer_access.insert(std::minmax(a, b));
}
void TopologyBuilder::set_level_distance(PathClass path, double distance) {
  parts_->class_distances[path] = distance;
}
void TopologyBuilder::set_level_distances(std::vector<double> distances) {
  parts_->level_distances = std::move(distances);
}
void TopologyBuilder::set_pair_matrix(Metric metric, PairMatrix matrix) {
  parts_->pair_matrices[static_cast<std::size_t>(metric)] = std::move(matrix);
}
void TopologyBuilder::set_arities(std::vector<int> arities) {
  parts_->arities = std::move(arities);
}
void TopologyBuilder::set_network(NetworkShape shape) {
  parts_->stated_shape = std::move(shape);
}
void TopologyBuilder::add_forwarding(Forwarding entry) {
  parts_->forwarding.push_back(entry);
}
void TopologyBuilder::set_adapters(LinkId link, std::vector<std::string> names) {
  parts_->adapters[link] = std::move(names);
}
void TopologyBuilder::set_congestion(CongestionParameters parameters) {
  parts_->congestion = parameters;
}
void TopologyBuilder::warn(std::string text) {
  parts_->warnings.push_back(std::move(text));
}
void TopologyBuilder::assume(std::string text) {
  if (std::ranges::find(parts_->assumptions, text) == parts_->assumptions.end())
    parts_->assumptions.push_back(std::move(text));
}
void TopologyBuilder::invent_hosts() {
  parts_->invents_hosts = true;
}

void TopologyBuilder::add_notes_of(const Topology& part) {
  parts_->invents_hosts = parts_->invents_hosts || part.invents_hosts();
  for (const std::string& warning : part.warnings()) warn(warning);
  for (const std::string& assumption : part.assumptions()) assume(assumption);
}

Topology TopologyBuilder::build() && {
  check_places(*parts_);
  check_parents(*parts_);
  check_links(*parts_);
  check_forwarding(*parts_);
  check_congestion(parts_->name, parts_->congestion);
  for (const Vertex& vertex : parts_->vertices) check_congestion(vertex.name, vertex.congestion);
  check_matrices(*parts_);
  std::vector<VertexId> endpoints;
  for (const PlaceEntry& place : parts_->places) endpoints.push_back(place.vertex);
  if (parts_->stated_shape && parts_->stated_classes.empty() && parts_->without_peer_access.empty() &&
      parts_->forwarding.empty() && parts_->arities.empty())
    parts_->network = NetworkRouting::find(*parts_->stated_shape, parts_->vertices, parts_->links, parts_->places);
  if (!parts_->network)
    parts_->cluster = ClusterRouting::find(parts_->vertices, parts_->links, endpoints, parts_->forwarding);
  if (parts_->network || parts_->cluster) endpoints.clear();
  parts_->routing.emplace(parts_->vertices, parts_->links, std::move(endpoints),
                          parts_->cluster ? std::span<const Forwarding>() : parts_->forwarding);
  parts_->staged = staged_routes(*parts_);
  find_levels(*parts_);
  set_distances(*parts_);
  return Topology(std::shared_ptr<const TopologyParts>(std::move(parts_)));
}

}  // namespace topowise
