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
  if (std::ranges::any_of(placement.nodes, [](const PlacedNode& node) { return node.name.empty(); }))
    throw bad_input(fmt::format("'{}' does not know the names of its hosts", placement.topology), hint);
  std::string text;
  for (const PlacedRank& rank : placement.ranks) text += host_word(placement.nodes[rank.node], {}) + "\n";
  return text;
}

}  // namespace

std::string mpich_hostfile(const Placement& placement) {
  // hydra fills the slots of the lines in their order, so one line for each rank gives the order of the ranks.
  std::string text;
  for (const PlacedRank& rank : placement.ranks) {
    text += fmt::format("{}:1\n", host_word(placement.nodes[rank.node], "localhost"));
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
  const bool by_place = !knows_nodes(placement);
  std::string text = fmt::format(
      "# {} ranks on '{}', one line a {}, in the order of the {} of the job; to be read with\n"
      "#   cp FILE MPICH_RANK_ORDER; export MPICH_RANK_REORDER_METHOD=3   before srun, or mpiexec of PALS\n",
      placement.ranks.size(), in_comment(placement.topology), by_place ? "place" : "node",
      by_place ? "nodes (or slots)" : "nodes");
  std::vector<std::vector<std::size_t>> by_node = placement.ranks_by_node();
  if (std::ranges::any_of(by_node, &std::vector<std::size_t>::empty)) {
    std::vector<std::string> used;
    std::vector<std::size_t> places;
    for (std::size_t node = 0; node < by_node.size(); ++node) {
      if (by_node[node].empty()) continue;
      if (placement.nodes[node].is_place)
        places.push_back(node);
      else
        used.push_back(in_comment(placement.nodes[node].name));
    }
    if (by_place) used.push_back(fmt::format("the places {} of the machine", to_cpu_list(places)));
    text += fmt::format("# {} without ranks are left out: the job must have {}, in this order\n",
                        by_place ? "places" : "nodes", fmt::join(used, ", "));
  }
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
