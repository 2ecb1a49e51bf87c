// SPDX-License-Identifier: BSD-3-Clause
// Files that choose the GPU of every rank.
#include <fmt/format.h>

#include <topowise/base/error.hpp>
#include <topowise/launch/file_words.hpp>
#include <topowise/launch/gpu_environment.hpp>
#include <topowise/launch/gpu_script.hpp>
#include <topowise/launch/launchers.hpp>

namespace topowise {

namespace {

std::optional<std::string> nothing_inherited(const std::string&) {
  return std::nullopt;
}

std::string words(const Variables& variables) {
  std::vector<std::string> assignments;
  for (const auto& [name, value] : variables) assignments.push_back(fmt::format("{}={}", name, variable_word(value)));
  return fmt::format("{}", fmt::join(assignments, " "));
}

/// A comment for each node that one process may start: the GPUs of all its ranks in one list.
std::string parents(const Placement& placement) {
  std::string text;
  const std::vector<std::vector<std::size_t>> by_node = placement.ranks_by_node();
  for (std::size_t node = 0; node < by_node.size(); ++node) {
    if (by_node[node].size() < 2) continue;
    try {
      const std::string list = words(gpu_environment_of_parent(placement, node, nothing_inherited));
      const PlacedNode& placed = placement.nodes[node];
      const std::string name = placed.is_invented ? fmt::format("node {}", node) : in_comment(placed.name);
      text += fmt::format("# one process that makes the workers{}{}: {}\n", name.empty() ? "" : " of ", name, list);
    } catch (const Error&) {
      continue;  // no list can say it: a process for each rank is the only way
    }
  }
  return text;
}

}  // namespace

std::string gpu_env(const Placement& placement) {
  require_gpus(placement);
  std::string text;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    text += fmt::format("{}\n", words(gpu_environment(placement, rank, placement.ranks[rank].local_rank,
                                                      GpuBinding::permute, nothing_inherited)));
  }
  return text + parents(placement);
}

std::string shell_wrapper(const Placement& placement) {
  require_gpus(placement);
  std::string text = fmt::format(
      "#!/bin/sh\n"
      "# Starts a program with the GPU that its rank is mapped to: {} ranks on '{}'.\n"
      "# All GPUs stay visible; the mapped one stands at the position of the local rank.\n"
      "rank=${{OMPI_COMM_WORLD_RANK:-${{PMIX_RANK:-${{PMI_RANK:-${{SLURM_PROCID:-}}}}}}}}\n"
      "local_rank=${{OMPI_COMM_WORLD_LOCAL_RANK:-${{MPI_LOCALRANKID:-${{SLURM_LOCALID:-}}}}}}\n"
      "case \"$rank\" in\n",
      placement.ranks.size(), in_comment(placement.topology));
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    const PlacedRank& placed = placement.ranks[rank];
    text += fmt::format("{}) {}; : \"${{local_rank:={}}}\" ;;\n", rank,
                        gpu_in_shell(placement.nodes[placed.node], *placed.gpu), placed.local_rank);
  }
  return text +
         "*) echo \"$0: rank '$rank' is not in the mapping\" >&2; exit 3 ;;\n"
         "esac\n" +
         gpu_list_in_shell(placement);
}

}  // namespace topowise
