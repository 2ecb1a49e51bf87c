// SPDX-License-Identifier: BSD-3-Clause
// Files that choose the GPU of every rank.
#include <fmt/format.h>

#include <topowise/launch/file_words.hpp>
#include <topowise/launch/gpu_environment.hpp>
#include <topowise/launch/gpu_script.hpp>
#include <topowise/launch/launchers.hpp>

namespace topowise {

std::string gpu_env(const Placement& placement) {
  require_gpus(placement);
  std::string text;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    std::vector<std::string> assignments;
    for (const auto& [name, value] :
         gpu_environment(placement, rank, placement.ranks[rank].local_rank, GpuBinding::permute,
                         [](const std::string&) { return std::optional<std::string>(); }))
      assignments.push_back(fmt::format("{}={}", name, variable_word(value)));
    text += fmt::format("{}\n", fmt::join(assignments, " "));
  }
  return text;
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
