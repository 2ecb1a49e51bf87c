// SPDX-License-Identifier: BSD-3-Clause
// Files that choose the GPU of every rank.
#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
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

std::string slurm_gpu_map(const Placement& placement) {
  require_gpus(placement);
  refuse_several_vendors(placement, "Slurm's map");
  std::vector<std::size_t> map;
  for (const std::vector<std::size_t>& ranks : placement.ranks_by_node()) {
    std::vector<std::size_t> here;  // the GPU of each local rank
    for (const std::size_t rank : ranks) here.push_back(*placement.ranks[rank].gpu);
    if (here.empty()) continue;
    if (map.empty()) map = here;
    if (here != map) {
      throw bad_input("the nodes need different maps, but Slurm uses one map on all nodes",
                      "--emit shell, or 'topowise run --mapping FILE' in front of the program");
    }
  }
  return fmt::format("--gpu-bind=map_gpu:{}\n", fmt::join(map, ","));
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
