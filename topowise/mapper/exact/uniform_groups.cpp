// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/exact/uniform_groups.hpp>

#include <algorithm>

namespace topowise {
namespace {

bool alike(const Hierarchy& machine, std::size_t a, std::size_t b) {
  const Hierarchy::Node& one = machine.nodes[a];
  const Hierarchy::Node& other = machine.nodes[b];
  return one.capacity == other.capacity && one.weight_out == other.weight_out && one.weight_in == other.weight_in &&
         std::ranges::equal(one.children, other.children,
                            [&](std::size_t x, std::size_t y) { return alike(machine, x, y); });
}

}  // namespace

std::vector<GroupLevel> uniform_groups(const Hierarchy& machine) {
  std::vector<GroupLevel> levels;
  for (std::size_t v = machine.nodes.size() - 1; !machine.nodes[v].children.empty();) {
    const std::vector<std::size_t>& children = machine.nodes[v].children;
    const std::size_t first = children.front();
    if (!std::ranges::all_of(children, [&](std::size_t child) { return alike(machine, first, child); })) return {};
    const Hierarchy::Node& node = machine.nodes[first];
    if (node.weight_out != node.weight_in) return {};
    levels.push_back({.size = node.capacity, .members = node.children.size(), .price = node.weight_out});
    v = first;
  }
  std::ranges::reverse(levels);
  return levels;
}

}  // namespace topowise
