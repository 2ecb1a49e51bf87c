// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/levels.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>

#include <topowise/base/error.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise {
namespace {

/// A few pairs of places that meet at each vertex of a tree: for each depth below the vertex, one place from each of
/// two children. They show every class of the machine, because in a tree the class of a pair depends on the two
/// branches only through what is on them. Takes O(vertices), because a walk ends where its branch is represented
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

/// Adds the pairs whose copies are staged, which no shape of the machine shows.
std::vector<std::pair<Place, Place>> with_staged(const TopologyParts& parts,
                                                 std::vector<std::pair<Place, Place>> samples) {
  for (const auto& [pair, way] : parts.staged) {
    if (pair.first < pair.second) samples.push_back(pair);
  }
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
  if (parts.cluster || !parts.routing->is_tree() || !parts.stated_classes.empty() || !parts.staged.empty() ||
      !parts.arities.empty())
    return {};
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

/// What is known of the pairs of one class.
struct FoundClass {
  PathClass path;
  std::pair<Place, Place> representative;
  std::size_t number = 0;  ///< of the classes that were found before it
  bool inside = false;     ///< some pair is inside a compute node, or no node is known
  bool between = false;    ///< some pair is between two compute nodes
};

/// The classes of the pairs that are added.
class Classes {
 public:
  explicit Classes(const TopologyParts& parts) {
    std::unordered_map<std::string_view, std::size_t> numbers{{"", 0}};
    for (const PlaceEntry& place : parts.places)
      node_.push_back(numbers.try_emplace(node_above(parts.vertices, place.vertex), numbers.size()).first->second);
  }
  /// Returns the number of the class: how many others were found before it.
  std::size_t add(PathClass path, Place a, Place b) {
    if (last_ == nullptr || last_->path != path)
      last_ = &found_.try_emplace(path, FoundClass{path, {a, b}, found_.size()}).first->second;
    const std::size_t of_a = node_[a.index()];
    const std::size_t of_b = node_[b.index()];
    (of_a != of_b && of_a != 0 && of_b != 0 ? last_->between : last_->inside) = true;
    return last_->number;
  }
  [[nodiscard]] std::size_t number_of(PathClass path) const { return found_.at(path).number; }
  [[nodiscard]] std::vector<FoundClass> found() const {
    std::vector<FoundClass> all;
    for (const auto& [path, each] : found_) all.push_back(each);
    return all;
  }

 private:
  std::vector<std::size_t> node_;  ///< by place: a number of its compute node, 0 if none is known
  std::map<PathClass, FoundClass> found_;
  FoundClass* last_ = nullptr;
};

LevelScope scope_of(const FoundClass& each) {
  if (is_bond(each.path) || !each.between) return LevelScope::inside;
  return each.inside ? LevelScope::mixed : LevelScope::between;
}

/// Kinds whose classes have one order among themselves.
enum class Family : unsigned char { hardware, network, tree, measured, unconnected };
constexpr std::size_t kFamilies = 5;

Family family_of(PathKind kind) {
  switch (kind) {
    case PathKind::network:
      return Family::network;
    case PathKind::tree:
      return Family::tree;
    case PathKind::measured:
      return Family::measured;
    case PathKind::unconnected:
      return Family::unconnected;
    default:
      return Family::hardware;
  }
}

/// The rate of the class's path; 0 if it is not known.
double rate_of(const TopologyParts& parts, const FoundClass& each) {
  const auto [a, b] = each.representative;
  if (const auto& matrix = parts.pair_matrices[static_cast<std::size_t>(Metric::bandwidth)])
    return matrix->values[a.index() * parts.places.size() + b.index()];
  double narrowest = std::numeric_limits<double>::infinity();
  for (const LinkId link : parts.route(a, b))
    narrowest = std::min(narrowest, parts.links[link.index()].bandwidth.value());
  return narrowest == std::numeric_limits<double>::infinity() ? 0 : narrowest;
}

/// The order of classes of different families whose rates are not known. What crosses the link between sockets comes
/// behind all that is inside a node.
int place_without_rates(PathKind kind) {
  constexpr int kBetweenSockets = 3;
  constexpr std::array<int, kFamilies> kPlaces{0, 4, 1, 2, 5};  // as the enumerators of Family
  if (kind == PathKind::sys) return kBetweenSockets;
  return kPlaces[static_cast<std::size_t>(family_of(kind))];
}

/// Merges the families of one scope. Each family keeps its order; of the nearest classes of two families, the one with
/// the higher rate comes first.
void append_by_rate(const TopologyParts& parts, const std::vector<FoundClass>& found, std::vector<FoundClass>& order) {
  std::array<std::vector<FoundClass>, kFamilies> families;
  for (const FoundClass& each : found) families[static_cast<std::size_t>(family_of(each.path.kind))].push_back(each);
  std::array<std::size_t, kFamilies> next{};
  for (std::size_t left = found.size(); left > 0; --left) {
    std::optional<std::size_t> best;
    double best_rate = 0;
    for (std::size_t f = 0; f < kFamilies; ++f) {
      if (next[f] == families[f].size()) continue;
      const FoundClass& head = families[f][next[f]];
      const double rate = families[f].size() == found.size() ? 0 : rate_of(parts, head);
      const auto is_nearer_than_best = [&] {
        if (rate > 0 && best_rate > 0 && rate != best_rate) return rate > best_rate;
        return place_without_rates(head.path.kind) < place_without_rates(families[*best][next[*best]].path.kind);
      };
      if (best && !is_nearer_than_best()) continue;
      best = f;
      best_rate = rate;
    }
    order.push_back(families[*best][next[*best]++]);
  }
}

/// The classes, given by PathClass, from nearest to farthest.
std::vector<FoundClass> nearest_first(const TopologyParts& parts, const std::vector<FoundClass>& found) {
  std::vector<FoundClass> inside;
  std::vector<FoundClass> outside;
  for (const FoundClass& each : found) {
    const bool stays = scope_of(each) != LevelScope::between && each.path.kind != PathKind::unconnected;
    (stays ? inside : outside).push_back(each);
  }
  std::vector<FoundClass> order;
  append_by_rate(parts, inside, order);
  append_by_rate(parts, outside, order);
  return order;
}

void set_levels(TopologyParts& parts, const Classes& classes) {
  for (const FoundClass& each : nearest_first(parts, classes.found())) {
    parts.levels.push_back(each.path);
    parts.scopes.push_back(scope_of(each));
    parts.representatives.push_back(each.representative);
  }
}

void find_levels_dense(TopologyParts& parts) {
  const std::size_t n = parts.places.size();
  Classes classes(parts);
  PairClasses of_pair(parts);
  parts.dense_levels.assign(n * n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const std::size_t found = classes.add(of_pair(a, b), Place(a), Place(b));
      parts.dense_levels[a * n + b] = static_cast<std::uint16_t>(found);
    }
  }
  set_levels(parts, classes);
  std::vector<std::uint16_t> level_of(parts.levels.size());  // by the number that a class got when it was found
  for (std::size_t level = 0; level < parts.levels.size(); ++level)
    level_of[classes.number_of(parts.levels[level])] = static_cast<std::uint16_t>(level);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      std::uint16_t& level = parts.dense_levels[a * n + b];
      parts.dense_levels[b * n + a] = level = level_of[level];
    }
  }
}

/// The number of hops is the level: all links of such a network are alike in what they say of the class.
void find_levels_of_network(TopologyParts& parts) {
  Classes classes(parts);
  for (const auto& [a, b] : parts.network->samples())
    classes.add(parts.classify_pair(Place(a), Place(b)), Place(a), Place(b));
  set_levels(parts, classes);
  for (std::size_t level = 0; level < parts.levels.size(); ++level) {
    parts.level_of_hops.resize(static_cast<std::size_t>(parts.levels[level].grade) + 1, 0);
    parts.level_of_hops.back() = static_cast<int>(level);
  }
}

void find_levels_sparse(TopologyParts& parts) {
  Classes classes(parts);
  if (!parts.arities.empty()) {
    std::size_t stride = 1;
    for (std::size_t level = 1; level <= parts.arities.size(); ++level) {
      const int arity = parts.arities[parts.arities.size() - level];
      if (arity > 1) classes.add({PathKind::tree, static_cast<int>(level)}, Place(0), Place(stride));
      stride *= static_cast<std::size_t>(arity);
    }
  } else {
    for (const auto& [a, b] : with_staged(parts, parts.cluster ? cluster_samples(parts) : tree_samples(parts)))
      classes.add(parts.classify_pair(a, b), a, b);
  }
  set_levels(parts, classes);
}

}  // namespace

void find_levels(TopologyParts& parts) {
  if (parts.network) {
    find_levels_of_network(parts);
  } else if (parts.places.size() <= Topology::kLargestDense) {
    find_levels_dense(parts);
  } else if (parts.cluster || parts.routing->is_tree()) {
    find_levels_sparse(parts);
  } else {
    throw bad_input(
        fmt::format("'{}' has {} places and is neither a tree nor a cluster; at most {} places are supported then",
                    parts.name, parts.places.size(), Topology::kLargestDense));
  }
}

}  // namespace topowise
