// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/cluster_routing.hpp>

#include <algorithm>
#include <map>

namespace topowise {

std::vector<LinkId> ClusterRouting::way_to_adapter(const Position& at, std::uint32_t gate) const {
  const Shape& shape = shapes_[nodes_[at.node].shape];
  return shape.inside.route(at.local, shape.endpoints + shape.adapter_of_gate[gate]);
}

void ClusterRouting::append_way_out(const Position& at, std::uint32_t gate, std::vector<LinkId>& way) const {
  const Node& node = nodes_[at.node];
  for (const LinkId link : way_to_adapter(at, gate)) way.push_back(node.links[link.index()]);
  way.push_back(node.gates[gate].out);
}

std::pair<std::uint32_t, std::uint32_t> ClusterRouting::gates_of(const Position& at) const {
  const Node& node = nodes_[at.node];
  if (shapes_[node.shape].is_host[at.local]) return {0, static_cast<std::uint32_t>(node.gates.size())};
  return {own_gate(at), own_gate(at) + 1};
}

std::optional<std::uint32_t> ClusterRouting::gate_towards(const Position& at, std::size_t leaf) const {
  const Node& node = nodes_[at.node];
  std::optional<std::uint32_t> best;
  std::size_t shortest = 0;
  for (std::uint32_t gate = 0; gate < node.gates.size(); ++gate) {
    if (hops_between(leaf, node.gates[gate].leaf) == kUnreachable) continue;
    const std::size_t length = way_to_adapter(at, gate).size();
    if (length == 0 || (best && shortest <= length)) continue;
    best = gate;
    shortest = length;
  }
  return best;
}

std::optional<ClusterRouting::Gates> ClusterRouting::gates_between(const Position& from, const Position& to) const {
  // The choice is the same in both directions: of gates that are equally near, it takes the lower numbers in the node
  // that comes first.
  const bool ordered = from.node < to.node;
  const Position& low = ordered ? from : to;
  const Position& high = ordered ? to : from;
  const auto [low_first, low_end] = gates_of(low);
  const auto [high_first, high_end] = gates_of(high);
  std::uint16_t fewest = kUnreachable;
  Gates best;
  for (std::uint32_t i = low_first; i < low_end; ++i) {
    for (std::uint32_t j = high_first; j < high_end; ++j) {
      const std::uint16_t far = hops_between(nodes_[low.node].gates[i].leaf, nodes_[high.node].gates[j].leaf);
      if (far >= fewest) continue;
      fewest = far;
      best = ordered ? Gates{i, j} : Gates{j, i};
    }
  }
  if (fewest != kUnreachable) return best;
  // Takes the rail of the node that comes first if the other node has it, else the other node's rail.
  const std::size_t leaf = gate_of(from).leaf;
  const std::size_t other = gate_of(to).leaf;
  for (const bool keeps_from : {ordered, !ordered}) {
    const std::optional<std::uint32_t> found = keeps_from ? gate_towards(to, leaf) : gate_towards(from, other);
    if (found) return keeps_from ? Gates{own_gate(from), *found} : Gates{*found, own_gate(to)};
  }
  return std::nullopt;
}

void ClusterRouting::append_network(std::size_t from_leaf, std::size_t to_leaf, std::vector<LinkId>& way) const {
  const std::size_t turn = from_leaf + to_leaf;  // picks one of several shortest ways
  std::uint32_t at = leaves_[from_leaf];
  for (std::uint16_t left = hops(to_leaf, at); left > 0; --left) {
    std::vector<LinkId> onward;
    for (const LinkId link : links_among_[number_of_switch_[at]]) {
      if (hops(to_leaf, static_cast<std::uint32_t>(to_[link.index()].index())) == left - 1) onward.push_back(link);
    }
    way.push_back(onward[turn % onward.size()]);
    at = static_cast<std::uint32_t>(to_[way.back().index()].index());
  }
}

bool ClusterRouting::append_as_forwarded(std::size_t from_leaf, std::size_t to_leaf, std::size_t to_node,
                                         std::vector<LinkId>& way) const {
  if (onward_.empty()) return false;
  const std::size_t before = way.size();
  for (std::uint32_t at = leaves_[from_leaf]; at != leaves_[to_leaf];) {
    const std::uint32_t link = onward_[number_of_switch_[at] * nodes_.size() + to_node];
    if (link == kNoLink) {
      way.resize(before, LinkId(0));
      return false;
    }
    way.emplace_back(link);
    at = static_cast<std::uint32_t>(to_[link].index());
  }
  return true;
}

std::vector<LinkId> ClusterRouting::route(std::size_t a, std::size_t b) const {
  const Position from = position_[a];
  const Position to = position_[b];
  std::vector<LinkId> way;
  if (from.node == to.node) {
    const Node& node = nodes_[from.node];
    for (const LinkId link : shapes_[node.shape].inside.route(from.local, to.local))
      way.push_back(node.links[link.index()]);
    return way;
  }
  const std::optional<Gates> gates = gates_between(from, to);
  if (!gates) return {};
  const std::size_t leaf = nodes_[from.node].gates[gates->from].leaf;
  const std::size_t other = nodes_[to.node].gates[gates->to].leaf;
  const auto append_backwards = [&](const std::vector<LinkId>& links) {
    for (auto link = links.rbegin(); link != links.rend(); ++link) way.push_back(back_[link->index()]);
  };
  append_way_out(from, gates->from, way);
  std::vector<LinkId> rest;
  if (append_as_forwarded(leaf, other, to.node, way)) {
    // the route follows the switches' tables
  } else if (leaf <= other) {
    append_network(leaf, other, way);
  } else {
    append_network(other, leaf, rest);
    append_backwards(rest);
  }
  rest.clear();
  append_way_out(to, gates->to, rest);
  append_backwards(rest);
  return way;
}

std::optional<int> ClusterRouting::switches_between(std::size_t a, std::size_t b) const {
  const Position from = position_[a];
  const Position to = position_[b];
  if (from.node == to.node) return std::nullopt;
  const std::optional<Gates> gates = gates_between(from, to);
  if (!gates) return 0;
  return hops_between(nodes_[from.node].gates[gates->from].leaf, nodes_[to.node].gates[gates->to].leaf) + 1;
}

std::vector<std::uint32_t> ClusterRouting::switch_sets() const {
  constexpr std::uint32_t kNone = 0xffffffff;
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
  std::vector<std::uint32_t> set_of_leaf(leaves_.size(), kNone);
  std::vector<std::uint32_t> sets;
  for (const Node& node : nodes_) {
    std::vector<std::uint32_t> leaves;
    for (const Gate& gate : node.gates) leaves.push_back(gate.leaf);
    std::ranges::sort(leaves);
    leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
    const std::uint32_t set = numbers.emplace(leaves, static_cast<std::uint32_t>(numbers.size())).first->second;
    for (const std::uint32_t leaf : leaves) {
      if (set_of_leaf[leaf] != kNone && set_of_leaf[leaf] != set) return {};
      set_of_leaf[leaf] = set;
    }
    sets.push_back(set);
  }
  return sets;
}

std::vector<std::pair<std::size_t, std::size_t>> ClusterRouting::samples() const {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::vector<bool> seen(shapes_.size(), false);
  // Two endpoints of different nodes for each leaf, where there are two.
  std::vector<std::vector<std::size_t>> on_leaf(leaves_.size());
  for (const Node& node : nodes_) {
    if (!seen[node.shape]) {
      for (std::size_t i = 0; i < node.endpoints.size(); ++i) {
        for (std::size_t j = i + 1; j < node.endpoints.size(); ++j)
          pairs.emplace_back(node.endpoints[i], node.endpoints[j]);
      }
      seen[node.shape] = true;
    }
    std::vector<std::uint32_t> here;
    for (const std::uint32_t endpoint : node.endpoints) {
      const std::uint32_t leaf = gate_of(position_[endpoint]).leaf;
      if (on_leaf[leaf].size() == 2 || std::ranges::find(here, leaf) != here.end()) continue;
      here.push_back(leaf);
      on_leaf[leaf].push_back(endpoint);
    }
  }
  std::map<int, bool> known;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    for (std::size_t j = i; j < leaves_.size(); ++j) {
      for (const std::size_t a : on_leaf[i]) {
        for (const std::size_t b : on_leaf[j]) {
          const std::optional<int> switches = a == b ? std::nullopt : switches_between(a, b);
          if (switches && known.emplace(*switches, true).second) pairs.emplace_back(a, b);
        }
      }
    }
  }
  return pairs;
}

}  // namespace topowise
