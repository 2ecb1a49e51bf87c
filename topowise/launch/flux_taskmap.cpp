// SPDX-License-Identifier: BSD-3-Clause
// Flux describes where tasks are by blocks [first node, nodes, tasks a node, repetitions] (Flux RFC 34): the numbers go
// through the nodes of a block in turn, and through the blocks one after the other.
#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/plural.hpp>
#include <topowise/launch/launchers.hpp>

namespace topowise {
namespace {

struct Block {
  std::size_t first;
  std::size_t nodes;
  std::size_t tasks;

  [[nodiscard]] bool is_continued_by(const Block& next) const {
    return next.first == first + nodes && next.tasks == tasks;
  }
};

/// Joins successive ranks on one node to a run, and runs of equal length on successive nodes to a block.
std::vector<Block> blocks_of(const Placement& placement) {
  std::vector<Block> runs;
  for (const PlacedRank& rank : placement.ranks) {
    if (!runs.empty() && runs.back().first == rank.node)
      ++runs.back().tasks;
    else
      runs.push_back({rank.node, 1, 1});
  }
  std::vector<Block> blocks;
  for (const Block& run : runs) {
    if (!blocks.empty() && blocks.back().is_continued_by(run))
      ++blocks.back().nodes;
    else
      blocks.push_back(run);
  }
  return blocks;
}

}  // namespace

std::string flux_taskmap(const Placement& placement) {
  std::string list;
  for (const Block& block : blocks_of(placement))
    list += fmt::format("{}[{},{},{},1]", list.empty() ? "" : ",", block.first, block.nodes, block.tasks);
  return fmt::format("--taskmap=manual:[{}]\n", list);
}

std::string flux_taskmap_note(const Placement& placement) {
  const auto places = static_cast<std::size_t>(std::ranges::count_if(placement.nodes, &PlacedNode::is_place));
  const std::size_t hosts = placement.nodes.size() - places;
  if (std::ranges::none_of(placement.ranks_by_node(), &std::vector<std::size_t>::empty))
    return places == 0  ? ""
           : hosts == 0 ? "each place of the machine is taken for a node of the job, in their order"
                        : "each place of the machine that states no host is taken for a node of the job, like the "
                          "machine's nodes and in one order with them";
  const std::string all = hosts == 0    ? counted(places, "place")
                          : places == 0 ? counted(hosts, "node")
                                        : counted(hosts, "node") + " and " + counted(places, "place");
  return fmt::format("the numbers count nodes without ranks, too: the job must have all {} of the machine{}", all,
                     places > 0 ? " as nodes, in their order" : "");
}

}  // namespace topowise
