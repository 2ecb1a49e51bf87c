// SPDX-License-Identifier: BSD-3-Clause
// Every vertex of the machine belongs to one box or to none. In a network, the box of a node (or of several) holds all
// vertices inside, so the same pass over the links makes the wires inside a node and those between nodes.
#include <topowise/report/wire_graph.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace topowise {
namespace {

std::string ends_in_words(const Topology& topology, const Link& link, std::string_view between) {
  const std::string from = node_name(topology, link.from);
  const std::string to = node_name(topology, link.to);
  const std::string text =
      fmt::format("{}{}{}", name_in_node(topology, link.from), between, name_in_node(topology, link.to));
  if (from.empty() && to.empty()) return text;
  return fmt::format("{}: {}", from.empty() ? to : from, text);
}

constexpr std::size_t kNoBox = std::numeric_limits<std::size_t>::max();

class Builder {
 public:
  Builder(const Topology& topology, const LinkShares& shares)
      : topology_(topology), shares_(shares), box_of_(topology.vertices().size(), kNoBox) {}

  [[nodiscard]] bool has(VertexId vertex) const { return box_of_[vertex.index()] != kNoBox; }
  std::size_t add(VertexId vertex, std::string name, std::vector<Place> places, int layer) {
    box_of_[vertex.index()] = graph_.boxes.size();
    graph_.boxes.push_back({std::move(name), std::move(places), layer});
    return graph_.boxes.size() - 1;
  }
  void join(VertexId vertex, std::size_t box) { box_of_[vertex.index()] = box; }
  void raise(VertexId vertex, int layer) {
    int& now = graph_.boxes[box_of_[vertex.index()]].layer;
    now = std::max(now, layer);
  }
  void leave_out() { graph_.left_out = true; }

  [[nodiscard]] bool carries(std::size_t link) const { return shares_.before[link] > 0 || shares_.after[link] > 0; }

  /// Gives boxes without a layer one that follows from their distance to boxes with a layer.
  void layer_by_distance() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Link& link : topology_.links()) {
        if (!has(link.from) || !has(link.to)) continue;
        const int below = graph_.boxes[box_of_[link.from.index()]].layer;
        int& layer = graph_.boxes[box_of_[link.to.index()]].layer;
        if (below == kUnknown || (layer != kUnknown && layer <= below + 1)) continue;
        layer = below + 1;
        changed = true;
      }
    }
  }

  [[nodiscard]] WireGraph finish() && {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> wire_of;
    for (std::size_t l = 0; l < topology_.links().size(); ++l) {
      const Link& link = topology_.links()[l];
      std::size_t first = box_of_[link.from.index()];
      std::size_t second = box_of_[link.to.index()];
      if (first == kNoBox || second == kNoBox || first == second) continue;
      if (first > second) std::swap(first, second);
      const auto [found, is_new] = wire_of.try_emplace({first, second}, graph_.wires.size());
      if (is_new) graph_.wires.push_back({first, second, link.kind, {}});
      graph_.wires[found->second].links.push_back(l);
    }
    return std::move(graph_);
  }

  static constexpr int kUnknown = std::numeric_limits<int>::max() - 1;

 private:
  const Topology& topology_;
  const LinkShares& shares_;
  std::vector<std::size_t> box_of_;
  WireGraph graph_;
};

/// Adds what the group's places send through but is neither a place nor above one: adapters and NVSwitches.
void add_neighbours(const Topology& topology, const std::string& node, Builder& builder) {
  std::vector<std::pair<VertexId, bool>> found;
  for (std::size_t l = 0; l < topology.links().size(); ++l) {
    const Link& link = topology.links()[l];
    if (!builder.has(link.from) || builder.has(link.to) || node_name(topology, link.to) != node) continue;
    const VertexKind kind = topology.vertex(link.to).kind;
    if (kind == VertexKind::nic || kind == VertexKind::nvswitch) found.emplace_back(link.to, builder.carries(l));
  }
  std::ranges::stable_sort(found, std::greater(), &std::pair<VertexId, bool>::second);
  for (const auto& [vertex, used] : found) {
    if (builder.has(vertex)) continue;
    if (!used) {
      builder.leave_out();
      continue;
    }
    const bool is_switch = topology.vertex(vertex).kind == VertexKind::nvswitch;
    builder.add(vertex, name_in_node(topology, vertex), {}, is_switch ? -1 : 0);
  }
}

}  // namespace

LinkShares link_shares(const Topology& topology, const std::vector<Bytes>& before, const std::vector<Bytes>& after) {
  const std::size_t links = topology.links().size();
  if (links == 0 || before.size() != links || after.size() != links) return {};
  LinkShares shares{before, after, std::vector<double>(links), std::vector<double>(links), true};
  for (std::size_t l = 0; l < links; ++l) {
    const bool used = before[l].value() > 0 || after[l].value() > 0;
    shares.in_time = shares.in_time && (!used || topology.links()[l].bandwidth.value() > 0);
  }
  double most = 0;
  for (std::size_t l = 0; l < links; ++l) {
    const double rate = topology.links()[l].bandwidth.value();
    const double scale = shares.in_time && rate > 0 ? rate : 1.0;
    shares.before[l] = before[l].value() / scale;
    shares.after[l] = after[l].value() / scale;
    most = std::max({most, shares.before[l], shares.after[l]});
  }
  for (std::size_t l = 0; most > 0 && l < links; ++l) {
    shares.before[l] /= most;
    shares.after[l] /= most;
  }
  return shares;
}

std::string link_name(const Topology& topology, const Link& link) {
  return ends_in_words(topology, link, " to ");
}

std::vector<WireShare> wire_shares(const Topology& topology, const LinkShares& shares) {
  using Ends = std::tuple<VertexId, VertexId, LinkKind>;
  std::map<Ends, std::vector<std::size_t>> alone;  // wires whose way back has not come yet
  std::vector<WireShare> wires;
  for (std::size_t l = 0; l < topology.links().size(); ++l) {
    const Link& link = topology.links()[l];
    if (std::vector<std::size_t>& back = alone[{link.to, link.from, link.kind}]; !back.empty()) {
      WireShare& wire = wires[back.front()];
      back.erase(back.begin());
      wire.bytes_before += shares.bytes_before[l];
      wire.bytes_after += shares.bytes_after[l];
      if (shares.before[l] > shares.before[wire.fuller_before]) wire.fuller_before = l;
      if (shares.after[l] > shares.after[wire.fuller_after]) wire.fuller_after = l;
      continue;
    }
    alone[{link.from, link.to, link.kind}].push_back(wires.size());
    wires.push_back({l, shares.bytes_before[l], shares.bytes_after[l], l, l});
  }
  return wires;
}

std::string wire_name(const Topology& topology, const WireShare& wire) {
  return ends_in_words(topology, topology.links()[wire.link], " \u2013 ");
}

std::vector<WireShare> fullest(std::vector<WireShare> wires, const LinkShares& shares, std::size_t most) {
  const auto before = [&](const WireShare& wire) { return shares.before[wire.fuller_before]; };
  const auto after = [&](const WireShare& wire) { return shares.after[wire.fuller_after]; };
  std::set<std::size_t> chosen;
  const auto choose = [&](const auto& share) {
    std::ranges::stable_sort(wires, std::greater(), share);
    for (std::size_t w = 0; w < std::min(most, wires.size()) && share(wires[w]) > 0; ++w) chosen.insert(wires[w].link);
  };
  std::ranges::sort(wires, std::less(), &WireShare::link);
  choose(after);
  std::ranges::sort(wires, std::less(), &WireShare::link);
  choose(before);
  std::erase_if(wires, [&](const WireShare& wire) { return !chosen.contains(wire.link); });
  std::ranges::stable_sort(wires, std::greater(),
                           [&](const WireShare& wire) { return std::max(before(wire), after(wire)); });
  return wires;
}

WireGraph group_wires(const Topology& topology, const PlaceGroup& group, const LinkShares& shares) {
  Builder builder(topology, shares);
  std::map<VertexId, std::vector<Place>> places_at;
  for (const Place place : group.places) places_at[topology.place(place).vertex].push_back(place);
  for (const Place place : group.places) {
    const VertexId vertex = topology.place(place).vertex;
    if (!builder.has(vertex)) builder.add(vertex, name_in_node(topology, vertex), places_at[vertex], 0);
  }
  const std::string node = node_name(topology, topology.place(group.places.front()).vertex);
  for (const Place place : group.places) {
    int layer = 1;
    for (auto above = topology.vertex_of(place).parent; above; above = topology.vertex(*above).parent, ++layer) {
      if (places_at.contains(*above) || node_name(topology, *above) != node) continue;
      if (!builder.has(*above)) builder.add(*above, name_in_node(topology, *above), {}, layer);
      builder.raise(*above, layer);
    }
  }
  add_neighbours(topology, node, builder);
  return std::move(builder).finish();
}

namespace {

/// Puts all vertices inside a node into the box of the node, and adds the switches between the nodes.
WireGraph with_network(const Topology& topology, const std::map<std::string, std::size_t>& box_of_node,
                       Builder builder) {
  for (std::size_t v = 0; v < topology.vertices().size(); ++v) {
    const VertexId vertex(v);
    if (const auto node = box_of_node.find(node_name(topology, vertex)); node != box_of_node.end()) {
      builder.join(vertex, node->second);
    } else if (topology.vertex(vertex).kind == VertexKind::network_switch ||
               topology.vertex(vertex).kind == VertexKind::group) {
      builder.add(vertex, topology.vertex(vertex).name, {}, Builder::kUnknown);
    }
  }
  builder.layer_by_distance();
  return std::move(builder).finish();
}

/// For each group, the vertices outside all groups to which it is wired.
std::vector<std::set<VertexId>> joints_of(const Topology& topology, const std::vector<PlaceGroup>& groups) {
  std::map<std::string, std::size_t> number;
  for (std::size_t g = 0; g < groups.size(); ++g) number[groups[g].name] = g;
  std::vector<std::set<VertexId>> joints(groups.size());
  for (const Link& link : topology.links()) {
    const auto from = number.find(node_name(topology, link.from));
    if (from != number.end() && !number.contains(node_name(topology, link.to))) joints[from->second].insert(link.to);
  }
  return joints;
}

}  // namespace

WireGraph network_wires(const Topology& topology, const std::vector<PlaceGroup>& groups, const LinkShares& shares) {
  Builder builder(topology, shares);
  std::map<std::string, std::size_t> box_of_node;
  for (const PlaceGroup& group : groups)
    box_of_node[group.name] = builder.add(topology.place(group.places.front()).vertex, group.name, group.places, 0);
  return with_network(topology, box_of_node, std::move(builder));
}

WireGraph leaf_wires(const Topology& topology, const std::vector<PlaceGroup>& groups, const LinkShares& shares) {
  const std::vector<std::set<VertexId>> joints = joints_of(topology, groups);
  std::vector<std::vector<std::size_t>> together;  // groups on the same switches, in the order of the first group
  std::map<std::set<VertexId>, std::size_t> box_of_joints;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [found, is_new] = box_of_joints.try_emplace(joints[g], together.size());
    if (is_new) together.emplace_back();
    together[found->second].push_back(g);
  }
  Builder builder(topology, shares);
  std::map<std::string, std::size_t> box_of_node;
  for (const std::vector<std::size_t>& members : together) {
    const PlaceGroup& first = groups[members.front()];
    const std::string name =
        members.size() == 1 ? first.name : fmt::format("{}–{}", first.name, groups[members.back()].name);
    std::vector<Place> places;
    for (const std::size_t g : members) places.insert(places.end(), groups[g].places.begin(), groups[g].places.end());
    const std::size_t box = builder.add(topology.place(first.places.front()).vertex, name, std::move(places), 0);
    for (const std::size_t g : members) box_of_node[groups[g].name] = box;
  }
  return with_network(topology, box_of_node, std::move(builder));
}

}  // namespace topowise
