// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <topowise/base/error.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/graph/topology_parts.hpp>

namespace topowise {
namespace {

void check_places(const TopologyParts& parts) {
  if (parts.places.empty()) throw bad_input(fmt::format("'{}' has no place for a rank", parts.name));
  for (const PlaceEntry& place : parts.places) {
    if (place.vertex.index() >= parts.vertices.size())
      throw bad_input(
          fmt::format("a place of '{}' stands on vertex {}, which does not exist", parts.name, place.vertex.index()));
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
        throw bad_input(fmt::format("what is told beside the {} matrix has {} values, {} places need {}",
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

/// A few pairs of places that meet at each vertex of a tree: for each depth below the vertex, one place from each of
/// two children. They show every class of the machine, because in a tree the class of a pair depends on the two
/// branches only through what stands on them. Takes O(vertices), because a walk ends where its branch is represented
/// already.
std::vector<std::pair<Place, Place>> tree_samples(const TopologyParts& parts) {
  struct Sample {
    VertexId child;
    Place place;
  };
  std::vector<std::map<std::size_t, std::vector<Sample>>> below(parts.vertices.size());  // key: depth of the place
  for (std::size_t p = 0; p < parts.places.size(); ++p) {
    VertexId child = parts.places[p].vertex;
    const std::size_t depth = parts.routing->depth(child);
    for (std::optional<VertexId> v = parts.vertices[child.index()].parent; v; v = parts.vertices[v->index()].parent) {
      std::vector<Sample>& seen = below[v->index()][depth];
      if (seen.size() == 2 || (seen.size() == 1 && seen.front().child == child)) break;
      seen.push_back({child, Place(p)});
      child = *v;
    }
  }
  std::vector<std::pair<Place, Place>> samples;
  for (const auto& depths : below) {
    std::vector<Sample> all;
    for (const auto& [depth, seen] : depths) all.insert(all.end(), seen.begin(), seen.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        if (all[i].child != all[j].child) samples.emplace_back(all[i].place, all[j].place);
      }
    }
  }
  return samples;
}

std::vector<std::pair<Place, Place>> cluster_samples(const TopologyParts& parts) {
  std::vector<std::pair<Place, Place>> samples;
  for (const auto& [a, b] : parts.cluster->samples()) samples.emplace_back(a, b);
  for (const auto& [pair, path] : parts.stated_classes) samples.push_back(pair);
  return samples;
}

/// How a leaf hangs in a tree. Places that hang below one vertex in the same way have the same classes to all other
/// places.
struct Branch {
  VertexId parent;
  VertexKind kind = VertexKind::group;
  std::array<std::pair<LinkKind, int>, 2> links{};  ///< kind and width of the link up and the one down

  friend auto operator<=>(const Branch&, const Branch&) = default;
};

/// The number of each place's branch, by place; empty unless the machine is a tree whose places are leaves, with
/// nothing stated.
std::vector<std::size_t> number_branches(const TopologyParts& parts) {
  if (parts.cluster || !parts.routing->is_tree() || !parts.stated_classes.empty() || !parts.arities.empty()) return {};
  std::vector<Branch> of_vertex(parts.vertices.size());
  std::vector<bool> is_inner(parts.vertices.size());
  for (std::size_t v = 0; v < parts.vertices.size(); ++v) {
    of_vertex[v].kind = parts.vertices[v].kind;
    if (!parts.vertices[v].parent) continue;
    of_vertex[v].parent = *parts.vertices[v].parent;
    is_inner[of_vertex[v].parent.index()] = true;
  }
  for (const Link& link : parts.links) {
    const bool up = parts.vertices[link.from.index()].parent == link.to;
    of_vertex[(up ? link.from : link.to).index()].links[up ? 0 : 1] = {link.kind, link.width};
  }
  std::map<Branch, std::size_t> numbers;
  std::vector<std::size_t> of_place;
  for (const PlaceEntry& place : parts.places) {
    if (is_inner[place.vertex.index()] || !parts.vertices[place.vertex.index()].parent) return {};
    of_place.push_back(numbers.emplace(of_vertex[place.vertex.index()], numbers.size()).first->second);
  }
  return of_place;
}

/// Classes of all pairs. Each pair of branches is classified once.
class PairClasses {
 public:
  explicit PairClasses(const TopologyParts& parts) : parts_(parts), branch_(number_branches(parts)) {
    constexpr std::size_t kLargestTable = 2048;
    branches_ = branch_.empty() ? 0 : *std::ranges::max_element(branch_) + 1;
    if (branches_ > kLargestTable) branch_.clear();
    if (!branch_.empty()) known_.resize(branches_ * branches_);
  }
  PathClass operator()(std::size_t a, std::size_t b) {
    if (branch_.empty()) return parts_.classify_pair(Place(a), Place(b));
    PathClass& known = known_[branch_[a] * branches_ + branch_[b]];
    if (known.kind == PathKind::self) known = parts_.classify_pair(Place(a), Place(b));
    return known;
  }

 private:
  const TopologyParts& parts_;
  std::vector<std::size_t> branch_;
  std::size_t branches_ = 0;
  std::vector<PathClass> known_;
};

void find_levels_dense(TopologyParts& parts) {
  const std::size_t n = parts.places.size();
  std::map<PathClass, std::pair<Place, Place>> classes;
  std::vector<PathClass> pairs(n * n);
  PairClasses of_pair(parts);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      pairs[a * n + b] = of_pair(a, b);
      classes.try_emplace(pairs[a * n + b], Place(a), Place(b));
    }
  }
  std::map<PathClass, std::uint16_t> number;
  for (const auto& [path, pair] : classes) {
    number[path] = static_cast<std::uint16_t>(parts.levels.size());
    parts.levels.push_back(path);
    parts.representatives.push_back(pair);
  }
  parts.dense_levels.assign(n * n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b)
      parts.dense_levels[a * n + b] = parts.dense_levels[b * n + a] = number[pairs[a * n + b]];
  }
}

void find_levels_sparse(TopologyParts& parts) {
  std::map<PathClass, std::pair<Place, Place>> classes;
  if (!parts.arities.empty()) {
    std::size_t stride = 1;
    for (std::size_t level = 1; level <= parts.arities.size(); ++level) {
      const int arity = parts.arities[parts.arities.size() - level];
      if (arity > 1) classes.try_emplace({PathKind::tree, static_cast<int>(level)}, Place(0), Place(stride));
      stride *= static_cast<std::size_t>(arity);
    }
  } else {
    for (const auto& [a, b] : parts.cluster ? cluster_samples(parts) : tree_samples(parts))
      classes.try_emplace(parts.classify_pair(a, b), a, b);
  }
  for (const auto& [path, pair] : classes) {
    parts.levels.push_back(path);
    parts.representatives.push_back(pair);
  }
}

void set_distances(TopologyParts& parts) {
  if (parts.level_distances.empty()) {
    parts.level_distances.resize(parts.levels.size());
    std::iota(parts.level_distances.begin(), parts.level_distances.end(), 1.0);
  }
  if (parts.level_distances.size() != parts.levels.size()) {
    throw bad_input(fmt::format("'{}' has {} levels, but {} level distances are given", parts.name, parts.levels.size(),
                                parts.level_distances.size()));
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
  parts_->arities = copy(machine.arities());
  parts_->forwarding = copy(machine.forwarding());
  parts_->adapters = machine.adapters();
  parts_->congestion = machine.congestion();
  parts_->stated_classes = machine.stated_classes();
  parts_->level_distances = copy(machine.level_distances());
  for (const Metric metric : {Metric::distance, Metric::latency, Metric::bandwidth}) {
    if (const PairMatrix* matrix = machine.pair_matrix(metric)) set_pair_matrix(metric, *matrix);
  }
}
TopologyBuilder::~TopologyBuilder() = default;
TopologyBuilder::TopologyBuilder(TopologyBuilder&&) noexcept = default;
TopologyBuilder& TopologyBuilder::operator=(TopologyBuilder&&) noexcept = default;

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

void TopologyBuilder::set_bandwidth(LinkId link, BytesPerSecond bandwidth, std::string source) {
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
void TopologyBuilder::set_level_distances(std::vector<double> distances) {
  parts_->level_distances = std::move(distances);
}
void TopologyBuilder::set_pair_matrix(Metric metric, PairMatrix matrix) {
  parts_->pair_matrices[static_cast<std::size_t>(metric)] = std::move(matrix);
}
void TopologyBuilder::set_arities(std::vector<int> arities) {
  parts_->arities = std::move(arities);
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
  parts_->cluster = ClusterRouting::find(parts_->vertices, parts_->links, endpoints, parts_->forwarding);
  if (parts_->cluster) endpoints.clear();
  parts_->routing.emplace(parts_->vertices, parts_->links, std::move(endpoints),
                          parts_->cluster ? std::span<const Forwarding>() : parts_->forwarding);
  if (parts_->places.size() <= Topology::kLargestDense) {
    find_levels_dense(*parts_);
  } else if (parts_->cluster || parts_->routing->is_tree()) {
    find_levels_sparse(*parts_);
  } else {
    throw bad_input(
        fmt::format("'{}' has {} places and is neither a tree nor a cluster; at most {} places are supported then",
                    parts_->name, parts_->places.size(), Topology::kLargestDense));
  }
  set_distances(*parts_);
  return Topology(std::shared_ptr<const TopologyParts>(std::move(parts_)));
}

}  // namespace topowise
