// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/route.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

#include <topowise/base/error.hpp>

namespace topowise {
namespace {

const LinkId kNoLink{std::numeric_limits<std::uint32_t>::max()};
const VertexId kNoVertex{std::numeric_limits<std::uint32_t>::max()};

/// Only the order matters: one PCIe switch (two links) loses to an NVSwitch (two links) and wins over the host.
/// A wide bond beats a narrow one of the same length, and never a shorter path.
double preference(const Link& link) {
  switch (link.kind) {
    case LinkKind::nvlink:
    case LinkKind::xgmi:
    case LinkKind::c2c:
      return 1.0 + 0.1 / link.width;
    case LinkKind::pcie:
    case LinkKind::abstract:
      return 4.0;
    case LinkKind::host:
      return 5.0;
    case LinkKind::inter_socket:
      return 16.0;
    case LinkKind::network:
      return 64.0;
  }
  return 64.0;
}

bool may_forward(const Vertex& vertex, LinkKind in, LinkKind out) {
  if (vertex.kind == VertexKind::gpu) return in == LinkKind::xgmi && out == LinkKind::xgmi;
  if (vertex.kind == VertexKind::nic)
    return (in == LinkKind::network) != (out == LinkKind::network);  // into or out of the network
  if (vertex.kind == VertexKind::compute_node) return in != LinkKind::network || out != LinkKind::network;
  return true;
}

/// Whether it may forward depends on the link by which it was entered.
bool asks_how_entered(const Vertex& vertex) {
  return vertex.kind == VertexKind::gpu || vertex.kind == VertexKind::nic || vertex.kind == VertexKind::compute_node;
}

}  // namespace

Routing::Routing(std::span<const Vertex> vertices, std::span<const Link> links, std::vector<VertexId> endpoints)
    : endpoints_(std::move(endpoints)) {
  collect_links_from(links, vertices.size());
  is_tree_ = find_tree(vertices, links);
  if (is_tree_) return;
  constexpr std::size_t kLargestTable = std::size_t{1} << 26;
  if (endpoints_.size() * vertices.size() > kLargestTable) {
    throw bad_input(fmt::format("{} places and {} vertices are too many for a machine that is not a tree",
                                endpoints_.size(), vertices.size()));
  }
  paths_.resize(endpoints_.size());
  for (std::size_t source = 0; source < endpoints_.size(); ++source) find_shortest(vertices, links, source);
}

void Routing::collect_links_from(std::span<const Link> links, std::size_t vertices) {
  first_from_.assign(vertices + 1, 0);
  for (const Link& link : links) ++first_from_[link.from.index() + 1];
  for (std::size_t v = 0; v < vertices; ++v) first_from_[v + 1] += first_from_[v];
  links_from_.resize(links.size());
  std::vector<std::size_t> next(first_from_.begin(), first_from_.end() - 1);
  for (std::size_t l = 0; l < links.size(); ++l) links_from_[next[links[l].from.index()]++] = LinkId(l);
}

std::span<const LinkId> Routing::links_from(VertexId vertex) const {
  const std::size_t begin = first_from_[vertex.index()];
  return std::span(links_from_).subspan(begin, first_from_[vertex.index() + 1] - begin);
}

bool Routing::find_tree(std::span<const Vertex> vertices, std::span<const Link> links) {
  parent_.assign(vertices.size(), kNoVertex);
  up_.assign(vertices.size(), kNoLink);
  down_.assign(vertices.size(), kNoLink);
  depth_.assign(vertices.size(), 0);
  std::size_t roots = 0;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    parent_[v] = vertices[v].parent.value_or(VertexId(v));
    if (!vertices[v].parent) ++roots;
    for (VertexId above(v); vertices[above.index()].parent; above = *vertices[above.index()].parent) ++depth_[v];
  }
  for (std::size_t l = 0; l < links.size(); ++l) {
    const Link& link = links[l];
    if (vertices[link.from.index()].parent == link.to) {
      if (up_[link.from.index()] != kNoLink) return false;
      up_[link.from.index()] = LinkId(l);
    } else if (vertices[link.to.index()].parent == link.from) {
      if (down_[link.to.index()] != kNoLink) return false;
      down_[link.to.index()] = LinkId(l);
    } else {
      return false;
    }
  }
  return roots == 1;
}

std::vector<LinkId> Routing::tree_route(VertexId a, VertexId b) const {
  std::vector<LinkId> up;
  std::vector<LinkId> down;
  while (a != b) {
    if (depth_[a.index()] >= depth_[b.index()]) {
      up.push_back(up_[a.index()]);
      a = parent_[a.index()];
    } else {
      down.push_back(down_[b.index()]);
      b = parent_[b.index()];
    }
  }
  up.insert(up.end(), down.rbegin(), down.rend());
  if (std::ranges::find(up, kNoLink) != up.end()) return {};  // a parent without a link
  return up;
}

void Routing::find_shortest(std::span<const Vertex> vertices, std::span<const Link> links, std::size_t source) {
  // A state is the link by which a vertex was entered: whether a vertex may forward depends on it.
  std::vector<double> best(links.size(), std::numeric_limits<double>::infinity());
  std::vector<LinkId> previous(links.size(), kNoLink);
  std::vector<LinkId> last(vertices.size(), kNoLink);
  using Entry = std::tuple<double, std::size_t>;  // cost, link: the smaller index wins a tie
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto is_done = [&](VertexId vertex) {  // reached, and a later way there has nothing to add
    return last[vertex.index()] != kNoLink && !asks_how_entered(vertices[vertex.index()]);
  };
  const auto relax = [&](LinkId link, double cost, LinkId from) {
    if (cost >= best[link.index()] || is_done(links[link.index()].to)) return;
    best[link.index()] = cost;
    previous[link.index()] = from;
    queue.emplace(cost, link.index());
  };
  for (const LinkId link : links_from(endpoints_[source])) relax(link, preference(links[link.index()]), kNoLink);
  while (!queue.empty()) {
    const auto [cost, index] = queue.top();
    queue.pop();
    if (cost > best[index]) continue;
    const VertexId here = links[index].to;
    if (here == endpoints_[source] || is_done(here)) continue;
    if (last[here.index()] == kNoLink) last[here.index()] = LinkId(index);
    for (const LinkId next : links_from(here)) {
      if (may_forward(vertices[here.index()], links[index].kind, links[next.index()].kind))
        relax(next, cost + preference(links[next.index()]), LinkId(index));
    }
  }
  Paths& paths = paths_[source];
  for (const VertexId endpoint : endpoints_) {
    const auto begin = static_cast<std::ptrdiff_t>(paths.links.size());
    paths.first.push_back(paths.links.size());
    for (LinkId link = last[endpoint.index()]; link != kNoLink; link = previous[link.index()])
      paths.links.push_back(link);
    std::reverse(paths.links.begin() + begin, paths.links.end());
  }
  paths.first.push_back(paths.links.size());
}

std::vector<LinkId> Routing::route(std::size_t source, std::size_t destination) const {
  if (is_tree_) return tree_route(endpoints_[source], endpoints_[destination]);
  const Paths& paths = paths_[source];
  const auto begin = paths.links.begin();
  return {begin + static_cast<std::ptrdiff_t>(paths.first[destination]),
          begin + static_cast<std::ptrdiff_t>(paths.first[destination + 1])};
}

}  // namespace topowise
