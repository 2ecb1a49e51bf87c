// SPDX-License-Identifier: BSD-3-Clause
// hop-bytes. In an ultrametric tree the cost of two places is the height h of their common ancestor. Climbing from a
// place to that ancestor, the heights add up: h = sum over the nodes v passed of h(parent(v)) - h(v). Both ends climb,
// so a byte that leaves the subtree of v pays half that difference there, and as much where it enters.
//
// max congestion. The link above a vertex carries exactly what the ranks below send to the others, the link back
// exactly what they receive.
#include <topowise/mapper/problem/hierarchy.hpp>

#include <algorithm>
#include <numeric>

#include <topowise/mapper/problem/ultrametric.hpp>

namespace topowise {
namespace {

/// Builds the tree of an ultrametric from the top.
class UltrametricTree {
 public:
  explicit UltrametricTree(const MapProblem& problem)
      : capacities_(place_capacities(problem)), distances_(pair_distances(problem, capacities_)), problem_(problem) {}

  std::optional<Hierarchy> build() {
    if (!is_symmetric() || !is_ultrametric(distances_, capacities_.size())) return std::nullopt;
    PlaceNumbers all(capacities_.size());
    std::iota(all.begin(), all.end(), 0);
    Hierarchy result;
    append(all, result);
    return result;
  }

 private:
  [[nodiscard]] double distance(int a, int b) const {
    return distances_[static_cast<std::size_t>(a) * capacities_.size() + static_cast<std::size_t>(b)];
  }

  [[nodiscard]] bool is_symmetric() const {
    const auto cost = [&](std::size_t a, std::size_t b) {
      return problem_.topology.pair_cost(problem_.metric, capacities_[a].place, capacities_[b].place);
    };
    for (std::size_t a = 0; a < capacities_.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (cost(a, b) != cost(b, a)) return false;
      }
    }
    return true;
  }

  /// Appends the subtree of a group; returns its height.
  double append(const PlaceNumbers& group, Hierarchy& tree) const {
    Hierarchy::Node node;
    if (group.size() == 1) {
      const PlaceCapacity& only = capacities_[static_cast<std::size_t>(group.front())];
      tree.nodes.push_back({.capacity = only.capacity, .children = {}, .place = only.place});
      return 0.0;
    }
    const std::vector<PlaceNumbers> parts = parts_by_distance(distances_, capacities_.size(), group);
    const double height = distance(parts[0].front(), parts[1].front());
    for (const PlaceNumbers& part : parts) {
      const double below = append(part, tree);
      Hierarchy::Node& child = tree.nodes.back();
      child.weight_out = child.weight_in = (height - below) / 2;
      node.capacity += child.capacity;
      node.children.push_back(tree.nodes.size() - 1);
    }
    tree.nodes.push_back(node);
    return height;
  }

  std::vector<PlaceCapacity> capacities_;
  std::vector<double> distances_;
  const MapProblem& problem_;
};

/// The vertices that are joined by links, if those form a tree: no parallel links, no circle. Which vertex is called
/// the root does not matter; it is that of the first place.
class LinkTree {
 public:
  explicit LinkTree(const MapProblem& problem) : topology_(problem.topology), places_on_(topology_.vertices().size()) {
    const std::vector<PlaceCapacity> all = place_capacities(problem);
    for (const PlaceCapacity& each : all) places_on_[topology_.place(each.place).vertex.index()].push_back(each);
    root_ = topology_.place(all.front().place).vertex.index();
    neighbours_.resize(places_on_.size());
    for (const Link& link : topology_.links()) {
      const double weight = link.bandwidth.value() > 0 ? 1.0 / link.bandwidth.value() : 0.0;
      add(link.from.index(), link.to.index()).out.push_back(weight);
      add(link.to.index(), link.from.index()).in.push_back(weight);
    }
  }

  std::optional<Hierarchy> build() {
    Hierarchy result;
    result.adds = false;
    std::vector<bool> seen(places_on_.size(), false);
    if (!is_tree(root_, root_, seen)) return std::nullopt;
    append(root_, root_, result);
    return result;
  }

 private:
  struct Neighbour {
    std::size_t vertex = 0;
    std::vector<double> out;  ///< seconds per byte of each link to that vertex
    std::vector<double> in;
  };

  Neighbour& add(std::size_t from, std::size_t to) {
    for (Neighbour& neighbour : neighbours_[from]) {
      if (neighbour.vertex == to) return neighbour;
    }
    return neighbours_[from].emplace_back(Neighbour{.vertex = to, .out = {}, .in = {}});
  }

  [[nodiscard]] bool is_tree(std::size_t vertex, std::size_t from, std::vector<bool>& seen) const {
    if (seen[vertex]) return false;
    seen[vertex] = true;
    return std::ranges::all_of(neighbours_[vertex], [&](const Neighbour& next) {
      return next.vertex == from || (next.out.size() <= 1 && next.in.size() <= 1 && is_tree(next.vertex, vertex, seen));
    });
  }

  /// Appends the subtree of a vertex. Returns true if there is a place at the vertex or behind it; then the last node
  /// is that of the vertex.
  bool append(std::size_t vertex, std::size_t from, Hierarchy& tree) const {
    Hierarchy::Node node;
    const auto add_last = [&] {
      node.capacity += tree.nodes.back().capacity;
      node.children.push_back(tree.nodes.size() - 1);
    };
    for (const PlaceCapacity& each : places_on_[vertex]) {
      tree.nodes.push_back({.capacity = each.capacity, .children = {}, .place = each.place});
      add_last();
    }
    for (const Neighbour& next : neighbours_[vertex]) {
      if (next.vertex == from || !append(next.vertex, vertex, tree)) continue;
      // Bytes that leave the subtree of `next` come in here.
      Hierarchy::Node& below = tree.nodes.back();
      for (const double weight : next.in) below.weight_out = std::max(below.weight_out, weight);
      for (const double weight : next.out) below.weight_in = std::max(below.weight_in, weight);
      add_last();
    }
    if (node.children.size() > 1) tree.nodes.push_back(node);  // a chain is as narrow as its narrowest link
    return !node.children.empty();
  }

  const Topology& topology_;
  std::vector<std::vector<PlaceCapacity>> places_on_;  ///< by vertex
  std::vector<std::vector<Neighbour>> neighbours_;
  std::size_t root_ = 0;
};

}  // namespace

std::optional<Hierarchy> find_hierarchy(const MapProblem& problem) {
  constexpr std::size_t kMostPlaces = 512;
  if (place_capacities(problem).size() > kMostPlaces) return std::nullopt;
  if (problem.objective == Objective::hop_bytes) return UltrametricTree(problem).build();
  return LinkTree(problem).build();
}

}  // namespace topowise
