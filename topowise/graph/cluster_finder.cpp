// SPDX-License-Identifier: BSD-3-Clause
// How a cluster is found in a machine's vertices and links.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include <topowise/base/disjoint_sets.hpp>
#include <topowise/base/error.hpp>
#include <topowise/graph/cluster_routing.hpp>

namespace topowise {

/// Fills in a ClusterRouting. A node is a set of vertices that stay connected without the network's links.
class ClusterRouting::Finder {
 public:
  Finder(std::span<const Vertex> vertices, std::span<const Link> links, std::span<const VertexId> endpoints,
         ClusterRouting& found)
      : vertices_(vertices), links_(links), endpoints_(endpoints), found_(found), parts_(vertices.size()) {}

  /// False if the machine is no cluster.
  bool run();
  /// False if the tables say how a node is entered, or treat two places of a node differently: only a table of all
  /// pairs can follow such tables.
  bool take_tables(std::span<const Forwarding> forwarding);

 private:
  /// Vertices, links and ways out of a node, in the order in which the machine has them.
  struct Members {
    std::vector<std::uint32_t> vertices;
    std::vector<std::uint32_t> links;
    std::vector<std::uint32_t> gates;  ///< links from an adapter to a switch
    std::vector<std::uint32_t> endpoints;
  };

  [[nodiscard]] bool is_switch(VertexId vertex) const {
    return vertices_[vertex.index()].kind == VertexKind::network_switch;
  }
  bool pair_neighbours();
  bool pair_links();
  bool find_nodes();
  void number_switches();
  void find_hops();
  /// Throws Error(bad_input) if the tables go in a circle.
  void check_tables();
  void add_node(const Members& members);
  /// A key that two nodes share if and only if they look alike.
  [[nodiscard]] std::vector<std::uint32_t> look_of(const Members& members);
  [[nodiscard]] Shape make_shape(const Members& members);
  void assign_gates(std::span<const Vertex> vertices, std::span<const Link> links, std::span<const VertexId> ends,
                    Shape& shape);

  std::span<const Vertex> vertices_;
  std::span<const Link> links_;
  std::span<const VertexId> endpoints_;
  ClusterRouting& found_;
  DisjointSets parts_;
  std::vector<std::uint32_t> local_;  ///< the number of each vertex in its node
  std::map<std::vector<std::uint32_t>, std::uint32_t> shape_of_look_;
  bool all_leave_ = true;  ///< every place reaches an adapter
};

std::optional<ClusterRouting> ClusterRouting::find(std::span<const Vertex> vertices, std::span<const Link> links,
                                                   std::span<const VertexId> endpoints,
                                                   std::span<const Forwarding> forwarding) {
  ClusterRouting found;
  Finder finder(vertices, links, endpoints, found);
  if (!finder.run() || !finder.take_tables(forwarding)) return std::nullopt;
  return found;
}

bool ClusterRouting::Finder::take_tables(std::span<const Forwarding> forwarding) {
  if (forwarding.empty()) return true;
  std::vector<std::optional<Place>> place_of_node(found_.nodes_.size());
  for (const Forwarding& entry : forwarding) {
    if (!is_switch(entry.at) || !is_switch(found_.to_[entry.by.index()])) return false;
    std::optional<Place>& place = place_of_node[found_.node_of(entry.to.index())];
    if (place.value_or(entry.to) != entry.to) return false;
    place = entry.to;
  }
  constexpr std::size_t kLargestTable = std::size_t{1} << 28;
  if (found_.switches_ * found_.nodes_.size() > kLargestTable)
    throw bad_input(fmt::format("forwarding tables of {} switches for {} nodes are too many", found_.switches_,
                                found_.nodes_.size()));
  found_.onward_.assign(found_.switches_ * found_.nodes_.size(), kNoLink);
  for (const Forwarding& entry : forwarding) {
    found_.onward(static_cast<std::uint32_t>(entry.at.index()), found_.node_of(entry.to.index())) =
        static_cast<std::uint32_t>(entry.by.index());
  }
  check_tables();
  return true;
}

void ClusterRouting::Finder::check_tables() {
  for (std::size_t node = 0; node < found_.nodes_.size(); ++node) {
    for (std::uint32_t at : found_.leaves_) {
      std::size_t passed = 0;
      for (std::uint32_t link = found_.onward(at, node); link != kNoLink; link = found_.onward(at, node)) {
        at = static_cast<std::uint32_t>(found_.to_[link].index());
        if (++passed <= found_.switches_) continue;
        const Vertex& to = vertices_[endpoints_[found_.nodes_[node].endpoints.front()].index()];
        throw bad_input(fmt::format("the forwarding tables lead what is for '{}' in a circle at '{}'",
                                    to.node.empty() ? to.name : to.node, vertices_[at].name));
      }
    }
  }
}

bool ClusterRouting::Finder::run() {
  const bool has_adapter = std::ranges::any_of(links_, [&](const Link& link) {
    const Vertex& from = vertices_[link.from.index()];
    // Some sources draw a host as one vertex with its adapters' cables on it. It counts unless a tree answers faster.
    const bool host = from.kind == VertexKind::compute_node && !from.parent;
    return link.kind == LinkKind::network && (from.kind == VertexKind::nic || host) && is_switch(link.to);
  });
  if (!has_adapter || !pair_links()) return false;
  if (std::ranges::count(vertices_, VertexKind::network_switch, &Vertex::kind) >= kUnreachable) return false;
  found_.to_.reserve(links_.size());
  for (const Link& link : links_) found_.to_.push_back(link.to);
  if (!find_nodes()) return false;
  find_hops();
  return true;
}

/// True if every link's way back is beside it, as TopologyBuilder::add_links() leaves them. Then they are paired.
bool ClusterRouting::Finder::pair_neighbours() {
  const std::size_t count = links_.size();
  for (std::size_t l = 0; l < count; l += 2) {
    if (l + 1 == count || links_[l].from != links_[l + 1].to || links_[l].to != links_[l + 1].from) return false;
  }
  found_.back_.reserve(count);
  for (std::size_t l = 0; l < count; ++l) found_.back_.emplace_back(l ^ 1);
  return true;
}

/// Pairs each link with its way back. Several links between the same two vertices are paired in their order: the first
/// with the first, the second with the second.
bool ClusterRouting::Finder::pair_links() {
  if (pair_neighbours()) return true;
  const auto ends = [&](LinkId link) { return std::minmax(links_[link.index()].from, links_[link.index()].to); };
  const auto is_upward = [&](LinkId link) { return links_[link.index()].from < links_[link.index()].to; };
  std::vector<LinkId> order;
  for (std::size_t l = 0; l < links_.size(); ++l) order.emplace_back(l);
  std::ranges::sort(order, {}, [&](LinkId link) {
    const auto [low, high] = ends(link);
    return std::tuple(low, high, is_upward(link), link);
  });
  found_.back_.resize(links_.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && ends(order[end]) == ends(order[begin])) ++end;
    const std::size_t half = (end - begin) / 2;  // the links down in vertex number are first
    if ((end - begin) % 2 != 0 || is_upward(order[begin + half - 1]) || !is_upward(order[begin + half])) return false;
    for (std::size_t i = begin; i < begin + half; ++i) {
      found_.back_[order[i].index()] = order[i + half];
      found_.back_[order[i + half].index()] = order[i];
    }
    begin = end;
  }
  return true;
}

bool ClusterRouting::Finder::find_nodes() {
  for (const Link& link : links_) {
    if (link.kind != LinkKind::network) {
      if (is_switch(link.from) || is_switch(link.to)) return false;
      parts_.join(link.from.index(), link.to.index());
    } else if (!is_switch(link.from) && !is_switch(link.to)) {
      return false;
    }
  }
  std::map<std::size_t, Members> nodes;
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    if (!is_switch(VertexId(v))) nodes[parts_.find(v)].vertices.push_back(static_cast<std::uint32_t>(v));
  }
  number_switches();
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const Link& link = links_[l];
    if (is_switch(link.from)) continue;
    Members& members = nodes[parts_.find(link.from.index())];
    (link.kind == LinkKind::network ? members.gates : members.links).push_back(static_cast<std::uint32_t>(l));
  }
  for (std::size_t e = 0; e < endpoints_.size(); ++e) {
    if (is_switch(endpoints_[e])) return false;
    nodes[parts_.find(endpoints_[e].index())].endpoints.push_back(static_cast<std::uint32_t>(e));
  }
  std::erase_if(nodes, [](const auto& node) { return node.second.endpoints.empty(); });
  if (std::ranges::any_of(nodes, [](const auto& node) { return node.second.gates.empty(); })) return false;
  found_.position_.resize(endpoints_.size());
  local_.resize(vertices_.size());
  found_.nodes_.reserve(nodes.size());
  for (auto& [first, members] : nodes) {
    add_node(members);
    members = {};
  }
  return all_leave_;
}

void ClusterRouting::Finder::number_switches() {
  found_.number_of_switch_.assign(vertices_.size(), 0);
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    if (is_switch(VertexId(v))) found_.number_of_switch_[v] = static_cast<std::uint32_t>(found_.switches_++);
  }
  found_.links_among_.resize(found_.switches_);
  for (std::size_t l = 0; l < links_.size(); ++l) {
    if (is_switch(links_[l].from) && is_switch(links_[l].to))
      found_.links_among_[found_.number_of_switch_[links_[l].from.index()]].emplace_back(l);
  }
}

void ClusterRouting::Finder::add_node(const Members& members) {
  for (std::size_t v = 0; v < members.vertices.size(); ++v) local_[members.vertices[v]] = static_cast<std::uint32_t>(v);
  const auto [known, is_new] =
      shape_of_look_.try_emplace(look_of(members), static_cast<std::uint32_t>(found_.shapes_.size()));
  if (is_new) found_.shapes_.push_back(make_shape(members));
  Node node{.shape = known->second, .links = {}, .gates = {}, .endpoints = members.endpoints};
  node.links.reserve(members.links.size());
  node.gates.reserve(members.gates.size());
  for (const std::uint32_t link : members.links) node.links.emplace_back(link);
  for (const std::uint32_t gate : members.gates) {
    const auto leaf = static_cast<std::uint32_t>(links_[gate].to.index());
    const auto at = std::ranges::lower_bound(found_.leaves_, leaf);
    if (at == found_.leaves_.end() || *at != leaf) found_.leaves_.insert(at, leaf);
    node.gates.push_back({LinkId(gate), leaf});  // a vertex, which find_hops() replaces by its number
  }
  for (std::size_t e = 0; e < members.endpoints.size(); ++e) {
    found_.position_[members.endpoints[e]] = {static_cast<std::uint32_t>(found_.nodes_.size()),
                                              static_cast<std::uint32_t>(e)};
  }
  found_.nodes_.push_back(std::move(node));
}

std::vector<std::uint32_t> ClusterRouting::Finder::look_of(const Members& members) {
  constexpr std::uint32_t kNone = 0xffffffff;
  const auto count = static_cast<std::uint32_t>(members.vertices.size());
  std::vector<std::uint32_t> look{count, static_cast<std::uint32_t>(members.links.size())};
  for (const std::uint32_t v : members.vertices) {
    const std::optional<VertexId>& parent = vertices_[v].parent;
    // A parent outside the node is a switch and counts as none.
    const bool inside = parent && !is_switch(*parent) && parts_.find(parent->index()) == parts_.find(v);
    look.push_back(static_cast<std::uint32_t>(vertices_[v].kind));
    look.push_back(inside ? local_[parent->index()] : kNone);
  }
  for (const std::uint32_t l : members.links) {
    const Link& link = links_[l];
    look.insert(look.end(), {local_[link.from.index()], local_[link.to.index()], static_cast<std::uint32_t>(link.kind),
                             static_cast<std::uint32_t>(link.width)});
  }
  for (const std::uint32_t e : members.endpoints) look.push_back(local_[endpoints_[e].index()]);
  look.push_back(kNone);
  for (const std::uint32_t gate : members.gates) look.push_back(local_[links_[gate].from.index()]);
  return look;
}

ClusterRouting::Shape ClusterRouting::Finder::make_shape(const Members& members) {
  std::vector<Vertex> vertices;
  for (const std::uint32_t v : members.vertices) {
    Vertex vertex{.kind = vertices_[v].kind};
    const std::optional<VertexId>& parent = vertices_[v].parent;
    if (parent && !is_switch(*parent) && parts_.find(parent->index()) == parts_.find(v))
      vertex.parent = VertexId(local_[parent->index()]);
    vertices.push_back(std::move(vertex));
  }
  std::vector<Link> links;
  for (const std::uint32_t l : members.links) {
    Link link{.from = VertexId(local_[links_[l].from.index()]), .to = VertexId(local_[links_[l].to.index()])};
    link.kind = links_[l].kind;
    link.width = links_[l].width;
    links.push_back(std::move(link));
  }
  std::vector<VertexId> ends;
  for (const std::uint32_t e : members.endpoints) ends.emplace_back(local_[endpoints_[e].index()]);
  std::vector<std::uint32_t> adapter_of_gate;
  for (const std::uint32_t gate : members.gates) {
    const VertexId adapter(local_[links_[gate].from.index()]);
    const auto known =
        std::find(ends.begin() + static_cast<std::ptrdiff_t>(members.endpoints.size()), ends.end(), adapter);
    adapter_of_gate.push_back(static_cast<std::uint32_t>(known - ends.begin()) -
                              static_cast<std::uint32_t>(members.endpoints.size()));
    if (known == ends.end()) ends.push_back(adapter);
  }
  Shape shape{Routing(vertices, links, ends), members.endpoints.size(), {}, std::move(adapter_of_gate)};
  assign_gates(vertices, links, ends, shape);
  return shape;
}

/// Chooses for each endpoint the nearest way out: by the class of the route, as nvidia-smi names it, then by its
/// length, then by how few endpoints have taken it.
void ClusterRouting::Finder::assign_gates(std::span<const Vertex> vertices, std::span<const Link> links,
                                          std::span<const VertexId> ends, Shape& shape) {
  std::vector<std::size_t> taken(shape.adapter_of_gate.size(), 0);
  for (std::size_t e = 0; e < shape.endpoints; ++e) {
    std::optional<std::tuple<PathClass, std::size_t, std::size_t, std::uint32_t>> best;
    for (std::uint32_t gate = 0; gate < taken.size(); ++gate) {
      const std::vector<LinkId> way = shape.inside.route(e, shape.endpoints + shape.adapter_of_gate[gate]);
      const bool is_adapter = ends[e] == ends[shape.endpoints + shape.adapter_of_gate[gate]];  // a host as a whole
      if (way.empty() && !is_adapter) continue;
      const PathClass near = is_adapter ? PathClass{} : classify(vertices, links, way);
      const auto candidate = std::tuple(near, way.size(), taken[gate], gate);
      if (!best || candidate < *best) best = candidate;
    }
    shape.is_host.push_back(std::ranges::all_of(
        shape.adapter_of_gate, [&](std::uint32_t adapter) { return ends[e] == ends[shape.endpoints + adapter]; }));
    all_leave_ = all_leave_ && best.has_value();
    if (!best) return;
    shape.gate.push_back(std::get<3>(*best));
    ++taken[shape.gate.back()];
  }
}

/// Counts the hops from each switch that has adapters, by a breadth-first search.
void ClusterRouting::Finder::find_hops() {
  std::vector<std::uint32_t> number_of_leaf(vertices_.size(), 0);
  for (std::size_t leaf = 0; leaf < found_.leaves_.size(); ++leaf)
    number_of_leaf[found_.leaves_[leaf]] = static_cast<std::uint32_t>(leaf);
  for (Node& node : found_.nodes_) {
    for (Gate& gate : node.gates) gate.leaf = number_of_leaf[gate.leaf];
  }
  constexpr std::size_t kLargestTable = std::size_t{1} << 28;
  if (found_.leaves_.size() * found_.switches_ > kLargestTable)
    throw bad_input(
        fmt::format("{} switches, {} of them with adapters, are too many", found_.switches_, found_.leaves_.size()));
  found_.hops_.assign(found_.leaves_.size() * found_.switches_, kUnreachable);
  for (std::size_t leaf = 0; leaf < found_.leaves_.size(); ++leaf) {
    std::uint16_t* const hops = found_.hops_.data() + leaf * found_.switches_;
    std::vector<std::uint32_t> reached{found_.number_of_switch_[found_.leaves_[leaf]]};
    hops[reached.front()] = 0;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (const LinkId link : found_.links_among_[reached[next]]) {
        const std::uint32_t to = found_.number_of_switch_[found_.to_[link.index()].index()];
        if (hops[to] != kUnreachable) continue;
        hops[to] = static_cast<std::uint16_t>(hops[reached[next]] + 1);
        reached.push_back(to);
      }
    }
  }
}

}  // namespace topowise
