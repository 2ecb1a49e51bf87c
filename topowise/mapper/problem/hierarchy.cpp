// SPDX-License-Identifier: BSD-3-Clause
// hop-bytes. In an ultrametric tree the cost of two places is the height h of their common ancestor. Climbing from a
// place to that ancestor, the heights add up: h = sum over the nodes v passed of h(parent(v)) - h(v). Both ends climb,
// so a byte that leaves the subtree of v pays half that difference there, and as much where it enters.
//
// max congestion. The link above a vertex carries exactly what the ranks below send to the others, the link back
// exactly what they receive.
#include <topowise/mapper/problem/hierarchy.hpp>

#include <algorithm>
#include <functional>

namespace topowise {
namespace {

/// Builds the ultrametric tree from the top: places nearer to each other than the largest cost of a set form its parts.
class UltrametricTree {
 public:
  explicit UltrametricTree(const MapProblem& problem) : rooms_(rooms(problem)), n_(rooms_.size()), cost_(n_ * n_) {
    for (std::size_t a = 0; a < n_; ++a) {
      for (std::size_t b = 0; b < n_; ++b)
        cost_[a * n_ + b] = problem.topology.pair_cost(problem.metric, rooms_[a].place, rooms_[b].place);
    }
  }

  std::optional<Hierarchy> build() {
    std::vector<std::size_t> all(n_);
    for (std::size_t a = 0; a < n_; ++a) all[a] = a;
    Hierarchy result;
    if (!split(all, result)) return std::nullopt;
    return result;
  }

 private:
  [[nodiscard]] double cost(std::size_t a, std::size_t b) const { return cost_[a * n_ + b]; }

  /// Appends the subtree of `members`; its height, or nothing if the costs are not ultrametric.
  std::optional<double> split(const std::vector<std::size_t>& members, Hierarchy& tree) {
    Hierarchy::Node node;
    if (members.size() == 1) {
      node.capacity = rooms_[members[0]].capacity;
      node.place = rooms_[members[0]].place;
      tree.nodes.push_back(node);
      return 0.0;
    }
    double height = 0;
    for (const std::size_t a : members) {
      for (const std::size_t b : members) height = std::max(height, a == b ? 0.0 : cost(a, b));
    }
    for (const std::vector<std::size_t>& part : parts_below(members, height)) {
      if (!is_apart(part, members, height)) return std::nullopt;
      const std::optional<double> below = split(part, tree);
      if (!below) return std::nullopt;
      Hierarchy::Node& child = tree.nodes.back();
      child.weight_out = child.weight_in = (height - *below) / 2;
      node.capacity += child.capacity;
      node.children.push_back(tree.nodes.size() - 1);
    }
    tree.nodes.push_back(node);
    return height;
  }

  [[nodiscard]] std::vector<std::vector<std::size_t>> parts_below(const std::vector<std::size_t>& members,
                                                                  double height) const {
    std::vector<std::vector<std::size_t>> parts;
    for (const std::size_t a : members) {
      // In an ultrametric one representative speaks for its part; is_apart() finds out if it does not.
      const auto near = std::ranges::find_if(parts, [&](const auto& part) { return cost(a, part.front()) < height; });
      if (near == parts.end()) {
        parts.push_back({a});
      } else {
        near->push_back(a);
      }
    }
    return parts;
  }

  /// Everything outside the part is at exactly `height` from everything inside.
  [[nodiscard]] bool is_apart(const std::vector<std::size_t>& part, const std::vector<std::size_t>& members,
                              double height) const {
    if (part.size() == members.size()) return false;
    std::vector<bool> inside(n_, false);
    for (const std::size_t a : part) inside[a] = true;
    return std::ranges::all_of(part, [&](std::size_t a) {
      return std::ranges::all_of(
          members, [&](std::size_t b) { return inside[b] || (cost(a, b) == height && cost(b, a) == height); });
    });
  }

  std::vector<Room> rooms_;
  std::size_t n_;
  std::vector<double> cost_;
};

/// The vertices that are joined by links, if those form a tree: no parallel links, no circle. Which vertex is called
/// the root does not matter; it is that of the first room.
class LinkTree {
 public:
  explicit LinkTree(const MapProblem& problem) : topology_(problem.topology), rooms_(topology_.vertices().size()) {
    const std::vector<Room> all = rooms(problem);
    for (const Room& room : all) rooms_[topology_.place(room.place).vertex.index()].push_back(room);
    root_ = topology_.place(all.front().place).vertex.index();
    neighbours_.resize(rooms_.size());
    for (const Link& link : topology_.links()) {
      const double weight = link.bandwidth.value() > 0 ? 1.0 / link.bandwidth.value() : 0.0;
      add(link.from.index(), link.to.index()).out.push_back(weight);
      add(link.to.index(), link.from.index()).in.push_back(weight);
    }
  }

  std::optional<Hierarchy> build() {
    Hierarchy result;
    result.adds = false;
    std::vector<bool> seen(rooms_.size(), false);
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

  /// True if there is room at the vertex or behind it; then the last node is that of the vertex.
  bool append(std::size_t vertex, std::size_t from, Hierarchy& tree) const {
    Hierarchy::Node node;
    const auto add_last = [&] {
      node.capacity += tree.nodes.back().capacity;
      node.children.push_back(tree.nodes.size() - 1);
    };
    for (const Room& room : rooms_[vertex]) {
      tree.nodes.push_back({.capacity = room.capacity, .children = {}, .place = room.place});
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
  std::vector<std::vector<Room>> rooms_;  ///< by vertex
  std::vector<std::vector<Neighbour>> neighbours_;
  std::size_t root_ = 0;
};

}  // namespace

std::optional<Hierarchy> find_hierarchy(const MapProblem& problem) {
  constexpr std::size_t kMostPlaces = 512;
  if (rooms(problem).size() > kMostPlaces) return std::nullopt;
  if (problem.objective == Objective::hop_bytes) return UltrametricTree(problem).build();
  return LinkTree(problem).build();
}

}  // namespace topowise
