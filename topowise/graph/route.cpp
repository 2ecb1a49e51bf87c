// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/route.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include <topowise/base/error.hpp>

namespace topowise {
namespace {

const LinkId kNoLink{std::numeric_limits<std::uint32_t>::max()};
constexpr std::uint32_t kNoNumber = std::numeric_limits<std::uint32_t>::max();
const VertexId kNoVertex{std::numeric_limits<std::uint32_t>::max()};

/// A cost of which only the order matters: one PCIe switch (two links) loses to an NVSwitch (two links) and wins over
/// the host. A wide bond beats a narrow one of the same length, but never a shorter path.
double preference(const Link& link) {
  switch (link.kind) {
    case LinkKind::nvlink:
    case LinkKind::xgmi:
    case LinkKind::c2c:
    case LinkKind::vendor_link:
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
    return (in == LinkKind::network) != (out == LinkKind::network);  // a NIC forwards only into or out of the network
  if (vertex.kind == VertexKind::compute_node) return in != LinkKind::network || out != LinkKind::network;
  return true;
}

/// True if a vertex may forward or not depending on the link by which it was entered.
bool asks_how_entered(const Vertex& vertex) {
  return vertex.kind == VertexKind::gpu || vertex.kind == VertexKind::nic || vertex.kind == VertexKind::compute_node;
}

}  // namespace

Routing::Routing(std::span<const Vertex> vertices, std::span<const Link> links, std::vector<VertexId> endpoints,
                 std::span<const Forwarding> forwarding)
    : endpoints_(std::move(endpoints)) {
  collect_links_from(links, vertices.size());
  is_tree_ = find_tree(vertices, links);
  if (is_tree_) return;
  parent_ = {};
  up_ = down_ = {};
  depth_ = {};
  if (endpoints_.empty()) return;  // only links are asked for
  constexpr std::size_t kLargestTable = std::size_t{1} << 26;
  if (endpoints_.size() * vertices.size() > kLargestTable) {
    throw bad_input(fmt::format("{} places and {} vertices are too many for a machine that is not a tree",
                                endpoints_.size(), vertices.size()));
  }
  paths_.resize(endpoints_.size());
  std::vector<Step> steps;
  steps.reserve(links.size());
  std::uint32_t asking = 0;
  for (const Link& link : links) {
    steps.push_back({preference(link), link.to, link.kind, asks_how_entered(vertices[link.to.index()])});
    from_.push_back(link.from);
    number_from_asking_.push_back(asks_how_entered(vertices[link.from.index()]) ? asking++ : kNoNumber);
  }
  for (std::size_t source = 0; source < endpoints_.size(); ++source) find_shortest(steps, vertices, source);
  if (!forwarding.empty()) follow(vertices, links, forwarding);
}

/// Keeps the first link of each shortest route, then follows the forwarding tables. If they do not lead to the
/// destination, the shortest route stays, because no more is known.
void Routing::follow(std::span<const Vertex> vertices, std::span<const Link> links,
                     std::span<const Forwarding> forwarding) {
  std::vector<std::map<std::size_t, LinkId>> onward(vertices.size());
  for (const Forwarding& entry : forwarding) onward[entry.at.index()].emplace(entry.to.index(), entry.by);
  std::vector<FollowedPaths> all;
  for (std::size_t source = 0; source < endpoints_.size(); ++source) {
    FollowedPaths followed;
    for (std::size_t destination = 0; destination < endpoints_.size(); ++destination) {
      std::vector<LinkId> way = route(source, destination);
      followed.first.push_back(followed.links.size());
      if (!way.empty()) {
        std::vector<LinkId> taken{way.front()};
        while (links[taken.back().index()].to != endpoints_[destination]) {
          const VertexId at = links[taken.back().index()].to;
          const auto next = onward[at.index()].find(destination);
          if (next == onward[at.index()].end()) break;
          if (taken.size() > vertices.size())
            throw bad_input(fmt::format("the forwarding tables lead what is for '{}' in a circle at '{}'",
                                        vertices[endpoints_[destination].index()].name, vertices[at.index()].name));
          taken.push_back(next->second);
        }
        if (links[taken.back().index()].to == endpoints_[destination]) way = std::move(taken);
      }
      followed.links.insert(followed.links.end(), way.begin(), way.end());
    }
    followed.first.push_back(followed.links.size());
    all.push_back(std::move(followed));
  }
  followed_ = std::move(all);
  paths_ = {};
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
  if (std::ranges::find(up, kNoLink) != up.end()) return {};  // a parent to which, or from which, no link leads
  return up;
}

void Routing::find_shortest(std::span<const Step> steps, std::span<const Vertex> vertices, std::size_t source) {
  // A state of the search is the link by which a vertex was entered, if the vertex asks how it was entered. Any other
  // vertex is settled by the best of its links. Of equal links, here and in the queue, the one with the smaller index
  // wins.
  using Entry = std::pair<double, std::uint32_t>;  // cost, link
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::vector<double> best(steps.size(), kFar);
  std::vector<Entry> best_into(vertices.size(), {kFar, 0});
  std::vector<LinkId> previous(steps.size(), kNoLink);
  std::vector<LinkId> last(vertices.size(), kNoLink);
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto relax = [&](LinkId link, double cost, LinkId from) {
    const Step& step = steps[link.index()];
    const Entry entry{cost, static_cast<std::uint32_t>(link.index())};
    if (!step.asks_how_entered) {
      if (entry >= best_into[step.to.index()]) return;
      best_into[step.to.index()] = entry;
    } else if (cost >= best[link.index()]) {
      return;
    }
    best[link.index()] = cost;
    previous[link.index()] = from;
    queue.push(entry);
  };
  for (const LinkId link : links_from(endpoints_[source])) relax(link, steps[link.index()].preference, kNoLink);
  while (!queue.empty()) {
    const auto [cost, index] = queue.top();
    queue.pop();
    const Step& step = steps[index];
    const bool is_done = last[step.to.index()] != kNoLink && !step.asks_how_entered;
    if (cost > best[index] || is_done || step.to == endpoints_[source]) continue;
    if (last[step.to.index()] == kNoLink) last[step.to.index()] = LinkId(index);
    for (const LinkId next : links_from(step.to)) {
      const Step& onward = steps[next.index()];
      if (!step.asks_how_entered || may_forward(vertices[step.to.index()], step.kind, onward.kind))
        relax(next, cost + onward.preference, LinkId(index));
    }
  }
  Paths& paths = paths_[source];
  for (std::size_t link = 0; link < steps.size(); ++link) {
    if (number_from_asking_[link] != kNoNumber) paths.before.push_back(previous[link]);
  }
  paths.last = std::move(last);
}

std::vector<LinkId> Routing::route(std::size_t source, std::size_t destination) const {
  if (is_tree_) return tree_route(endpoints_[source], endpoints_[destination]);
  if (!followed_.empty()) {
    const FollowedPaths& paths = followed_[source];
    const auto begin = paths.links.begin();
    return {begin + static_cast<std::ptrdiff_t>(paths.first[destination]),
            begin + static_cast<std::ptrdiff_t>(paths.first[destination + 1])};
  }
  const Paths& paths = paths_[source];
  std::vector<LinkId> way;
  LinkId link = paths.last[endpoints_[destination].index()];
  while (link != kNoLink) {
    way.push_back(link);
    const VertexId at = from_[link.index()];
    const std::uint32_t number = number_from_asking_[link.index()];
    // A vertex that does not ask is left by the one link by which it was reached; the source was not reached.
    if (at == endpoints_[source])
      link = kNoLink;
    else
      link = number != kNoNumber ? paths.before[number] : paths.last[at.index()];
  }
  std::ranges::reverse(way);
  return way;
}

}  // namespace topowise
