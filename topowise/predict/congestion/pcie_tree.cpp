// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/congestion/pcie_tree.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <topowise/base/error.hpp>

namespace topowise {
namespace {

void check(const PcieVertex& vertex, std::size_t count) {
  const bool is_root = vertex.parent == PcieVertex::kNoParent;
  if (!is_root && vertex.parent >= count)
    throw bad_input(fmt::format("the parent of '{}' does not exist", vertex.name));
  for (const double capacity : {vertex.up, vertex.down}) {
    if (!std::isfinite(capacity) || capacity <= 0)
      throw bad_input(fmt::format("a link of '{}' has capacity '{}'", vertex.name, capacity));
  }
  if (!(vertex.tau >= 0 && vertex.tau < 0.5))
    throw bad_input(fmt::format("tau of '{}' is '{}', it must be in [0, 0.5)", vertex.name, vertex.tau));
  if (!is_root && (vertex.root_complex || vertex.tau != 0))
    throw bad_input(fmt::format("'{}' has a parent, so it is no root complex", vertex.name));
}

}  // namespace

PcieTree::PcieTree(std::vector<PcieVertex> vertices) : vertices_(std::move(vertices)) {
  for (const PcieVertex& vertex : vertices_) check(vertex, vertices_.size());
  find_depths();
  number_links();
}

void PcieTree::find_depths() {
  const std::size_t n = vertices_.size();
  depth_.assign(n, 0);
  root_.assign(n, PcieVertex::kNoParent);
  std::vector<std::uint32_t> walk;
  for (std::uint32_t start = 0; start < n; ++start) {
    walk.clear();
    std::uint32_t v = start;
    while (root_[v] == PcieVertex::kNoParent && vertices_[v].parent != PcieVertex::kNoParent) {
      walk.push_back(v);
      if (walk.size() > n) throw bad_input(fmt::format("'{}' is its own ancestor", vertices_[start].name));
      v = vertices_[v].parent;
    }
    if (root_[v] == PcieVertex::kNoParent) root_[v] = v;
    std::uint32_t depth = depth_[v];
    for (auto passed = walk.rbegin(); passed != walk.rend(); ++passed) {
      depth_[*passed] = ++depth;
      root_[*passed] = root_[v];
    }
  }
}

void PcieTree::number_links() {
  std::vector<std::uint32_t> order;
  for (std::uint32_t v = 0; v < vertices_.size(); ++v) {
    if (vertices_[v].parent != PcieVertex::kNoParent) order.push_back(v);
  }
  std::ranges::stable_sort(order, std::less<>(), [this](std::uint32_t v) { return depth_[v]; });
  up_.assign(vertices_.size(), PcieVertex::kNoParent);
  down_ = up_;
  const auto add = [this](std::uint32_t v, bool downward) {
    const PcieVertex& root = vertices_[root_[v]];
    const bool leaves = downward && root.root_complex && vertices_[v].parent == root_[v];
    (downward ? down_ : up_)[v] = static_cast<std::uint32_t>(links_.size());
    links_.push_back({v, downward, leaves, downward ? vertices_[v].down : vertices_[v].up, root.tau});
  };
  for (auto v = order.rbegin(); v != order.rend(); ++v) add(*v, false);
  for (const std::uint32_t v : order) add(v, true);
}

std::string PcieTree::name(std::uint32_t id) const {
  const Link& link = links_[id];
  const std::string& child = vertices_[link.child].name;
  const std::string& parent = vertices_[vertices_[link.child].parent].name;
  return link.downward ? fmt::format("{} -> {}", parent, child) : fmt::format("{} -> {}", child, parent);
}

PciePath PcieTree::path(std::uint32_t from, std::uint32_t to) const {
  if (from == to || root_[from] != root_[to]) {
    throw bad_input(
        fmt::format("'{}' and '{}' are no two vertices of one PCIe tree", vertices_[from].name, vertices_[to].name));
  }
  PciePath path;
  path.arrival = static_cast<std::uint32_t>(links_.size()) + from;
  std::vector<std::uint32_t> descent;
  std::uint32_t a = from;
  std::uint32_t b = to;
  while (a != b) {
    if (depth_[a] >= depth_[b]) {
      path.links.push_back(up_[a]);
      a = vertices_[a].parent;
    } else {
      descent.push_back(down_[b]);
      b = vertices_[b].parent;
    }
  }
  path.links.insert(path.links.end(), descent.rbegin(), descent.rend());
  path.through_root_complex = !descent.empty() && vertices_[a].root_complex;
  path.entry = links_[path.links.front()].capacity;
  path.ceiling = path.entry;
  for (const std::uint32_t id : path.links) {
    const Link& link = links_[id];
    path.ceiling = std::min(path.ceiling, link.capacity * (link.leaves_root_complex ? 1.0 - link.tau : 1.0));
  }
  return path;
}

}  // namespace topowise
