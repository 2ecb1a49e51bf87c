// SPDX-License-Identifier: BSD-3-Clause
// Files that name a host for every rank, in the order of the ranks.
#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/launch/file_words.hpp>
#include <topowise/launch/launchers.hpp>
#include <topowise/reading/cpu_list.hpp>

namespace topowise {
namespace {

/// What has the names of hosts.
constexpr const char* kWithHosts = "map onto a machine with hosts: live, cluster:FABRIC,NODE";

std::string a_host_for_every_rank(const Placement& placement, const char* hint) {
  if (std::ranges::all_of(placement.nodes, [](const PlacedNode& node) { return node.name.empty(); }))
    throw bad_input(fmt::format("'{}' does not know the names of its hosts", placement.topology), hint);
  std::string text;
  for (const PlacedRank& rank : placement.ranks) text += host_word(placement, rank.node, {}) + "\n";
  return text;
}

/// What the nodes with ranks are, in their order: "n00, n02", "the places 0-1,4 of the machine". Of names that are made
/// up only the numbers of the nodes are said.
std::string nodes_with_ranks(const Placement& placement, const std::vector<std::vector<std::size_t>>& by_node) {
  std::vector<std::string> all;
  std::string_view noun;
  std::vector<std::size_t> numbers;
  const auto end_numbers = [&] {
    if (numbers.empty()) return;
    all.push_back(
        fmt::format("the {}{} {} of the machine", noun, numbers.size() == 1 ? "" : "s", to_cpu_list(numbers)));
    numbers.clear();
  };
  for (std::size_t number = 0; number < by_node.size(); ++number) {
    const PlacedNode& node = placement.nodes[number];
    if (by_node[number].empty()) continue;
    const bool is_named = !node.name.empty() && !node.is_invented;
    const std::string_view own = is_named ? "" : node.is_place() ? "place" : "node";
    if (own != noun) end_numbers();
    noun = own;
    if (is_named)
      all.push_back(in_comment(node.name));
    else
      numbers.push_back(node.place.value_or(number));
  }
  end_numbers();
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

std::string mpich_hostfile(const Placement& placement) {
  // hydra fills the slots of the lines in their order, so one line for each rank gives the order of the ranks.
  std::string text;
  for (const PlacedRank& rank : placement.ranks) {
    text += fmt::format("{}:1\n", host_word(placement, rank.node, "localhost"));
  }
  return text;
}

std::string pbs_nodefile(const Placement& placement) {
  return a_host_for_every_rank(placement, kWithHosts);
}

std::string slurm_hostfile(const Placement& placement) {
  const bool gpus = std::ranges::any_of(placement.nodes, [](const PlacedNode& node) { return !node.gpus.empty(); });
  return a_host_for_every_rank(placement,
                               gpus ? "--emit slurm-gpu-map needs none on a machine of one node" : kWithHosts);
}

std::string cray_rank_order(const Placement& placement) {
  std::vector<std::vector<std::size_t>> by_node = placement.ranks_by_node();
  std::size_t lines = 0;
  std::size_t places = 0;
  std::size_t empty_places = 0;
  for (std::size_t node = 0; node < by_node.size(); ++node) {
    const bool is_place = placement.nodes[node].is_place();
    lines += by_node[node].empty() ? 0 : 1;
    places += is_place && !by_node[node].empty() ? 1 : 0;
    empty_places += is_place && by_node[node].empty() ? 1 : 0;
  }
  const std::size_t empty = by_node.size() - lines;
  const auto kind = [](std::size_t of, std::size_t all, const char* host, const char* place, const char* both) {
    return of == 0 ? host : of == all ? place : both;
  };
  std::string text = fmt::format(
      "# {} ranks on '{}', one line a {}, in the order of the {} of the job; to be read with\n"
      "#   cp FILE MPICH_RANK_ORDER; export MPICH_RANK_REORDER_METHOD=3   before srun, or mpiexec of PALS\n",
      placement.ranks.size(), in_comment(placement.topology), kind(places, lines, "node", "place", "node or place"),
      places > 0 ? "nodes (or slots)" : "nodes");
  if (empty > 0)
    text += fmt::format("# {} without ranks are left out: the job must have {}, in this order\n",
                        kind(empty_places, empty, "nodes", "places", "nodes and places"),
                        nodes_with_ranks(placement, by_node));
  std::erase_if(by_node, [](const std::vector<std::size_t>& ranks) { return ranks.empty(); });
  const auto differ = [](const auto& one, const auto& other) { return one.size() != other.size(); };
  if (std::ranges::adjacent_find(by_node, differ) != by_node.end())
    text += "# nodes have different numbers of ranks: start as many on each (srun --distribution=arbitrary)\n";
  for (std::vector<std::size_t>& ranks : by_node) {
    // The ranks of a node are sorted by their GPU, so that local rank k keeps GPU k.
    std::ranges::stable_sort(ranks, {}, [&](std::size_t rank) { return placement.ranks[rank].gpu; });
    text += fmt::format("{}\n", fmt::join(ranks, ","));
  }
  return text;
}

}  // namespace topowise
