// SPDX-License-Identifier: BSD-3-Clause
// hop-bytes. In an ultrametric tree the cost of two places is the height h of their common ancestor. Climbing from a
// place to that ancestor, the heights add up: h = sum over the nodes v passed of h(parent(v)) - h(v). Both ends climb,
// so a byte that leaves the subtree of v pays half that difference there, and as much where it enters.
//
// max congestion. The link above a vertex carries exactly what the ranks below send to the others, the link back
// exactly what they receive.
#include <topowise/mapper/hierarchy.hpp>

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

/// The links between each vertex and its parent; nothing if there are others, or not exactly one root.
struct ParentLinks {
  std::vector<double> up;  ///< bytes/s, 0 if there is no such link
  std::vector<double> down;
};
std::optional<ParentLinks> parent_links(const Topology& topology) {
  const std::span<const Vertex> vertices = topology.vertices();
  if (std::ranges::count_if(vertices, [](const Vertex& v) { return !v.parent; }) != 1) return std::nullopt;
  ParentLinks links{std::vector<double>(vertices.size(), 0.0), std::vector<double>(vertices.size(), 0.0)};
  for (const Link& link : topology.links()) {
    const bool up = vertices[link.from.index()].parent == link.to;
    const bool down = vertices[link.to.index()].parent == link.from;
    if (up == down) return std::nullopt;
    double& rate = up ? links.up[link.from.index()] : links.down[link.to.index()];
    if (rate != 0) return std::nullopt;
    rate = link.bandwidth.value();
  }
  return links;
}

/// Vertices of the PCIe tree or hierarchy, those without room left out.
class LinkTree {
 public:
  LinkTree(const MapProblem& problem, const ParentLinks& links) : links_(links), children_(links.up.size()) {
    const std::span<const Vertex> vertices = problem.topology.vertices();
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      if (vertices[v].parent) {
        children_[vertices[v].parent->index()].push_back(v);
      } else {
        root_ = v;
      }
    }
    rooms_.resize(vertices.size());
    for (const Room& room : rooms(problem)) rooms_[problem.topology.place(room.place).vertex.index()].push_back(room);
  }

  std::optional<Hierarchy> build() {
    Hierarchy result;
    result.adds = false;
    if (!append(root_, result)) return std::nullopt;
    return result;
  }

 private:
  /// True if there is room below; then the last node is that of the vertex. Parents were checked to have no cycle.
  bool append(std::size_t vertex, Hierarchy& tree) {
    Hierarchy::Node node;
    const auto add_last = [&] {
      node.capacity += tree.nodes.back().capacity;
      node.children.push_back(tree.nodes.size() - 1);
    };
    for (const Room& room : rooms_[vertex]) {
      tree.nodes.push_back({.capacity = room.capacity, .children = {}, .place = room.place});
      add_last();
    }
    for (const std::size_t child : children_[vertex]) {
      if (!append(child, tree)) continue;
      Hierarchy::Node& below = tree.nodes.back();
      below.weight_out = std::max(below.weight_out, weight(links_.up[child]));
      below.weight_in = std::max(below.weight_in, weight(links_.down[child]));
      add_last();
    }
    if (node.children.empty()) return false;
    if (node.children.size() > 1) tree.nodes.push_back(node);  // a chain is as narrow as its narrowest link
    return true;
  }

  static double weight(double rate) { return rate > 0 ? 1.0 / rate : 0.0; }

  const ParentLinks& links_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::vector<Room>> rooms_;
  std::size_t root_ = 0;
};

}  // namespace

std::optional<Hierarchy> find_hierarchy(const MapProblem& problem) {
  constexpr std::size_t kMostPlaces = 512;
  if (rooms(problem).size() > kMostPlaces) return std::nullopt;
  if (problem.objective == Objective::hop_bytes) return UltrametricTree(problem).build();
  const std::optional<ParentLinks> links = parent_links(problem.topology);
  return links ? LinkTree(problem, *links).build() : std::nullopt;
}

}  // namespace topowise
