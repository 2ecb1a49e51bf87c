// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include <topowise/launch/file_words.hpp>
#include <topowise/launch/launchers.hpp>

namespace topowise {

namespace {

/// The command by which Open MPI 5 reads the file. It counts cores, in the order of hwloc, where Open MPI 4 counts as
/// the system does: if the two may differ, topowise binds the ranks.
std::string command_of_version_5(const Placement& placement) {
  const auto differs = [&](const PlacedRank& rank) {
    return !rank.cpus.empty() && !placement.nodes[rank.node].cores_in_order;
  };
  const auto found = std::ranges::find_if(placement.ranks, differs);
  if (found == placement.ranks.end()) return "--bind-to :overload-allowed";
  return fmt::format("--bind-to none topowise run --mapping MAPPING{} --", found->gpu ? " --cpu-bind numa" : "");
}

}  // namespace

std::string openmpi_rankfile(const Placement& placement) {
  // A rankfile must name processors, and Open MPI binds the rank to them: those near its place, or one core for each
  // local rank, as mpirun does by itself.
  const bool known = std::ranges::any_of(placement.ranks, [](const PlacedRank& rank) { return !rank.cpus.empty(); });
  const bool gpus = std::ranges::any_of(placement.ranks, [](const PlacedRank& rank) { return rank.gpu.has_value(); });
  const std::string slots = !known ? "cores, counted from 0, one for each rank of a host"
                            : gpus ? "the system's processor numbers, shared by ranks of one NUMA domain"
                                   : "the system's processor numbers";
  std::string text = fmt::format(
      "# {} ranks on '{}'\n"
      "# slots are {}; to be read with\n"
      "#   Open MPI 4: mpirun {}--rankfile FILE\n"
      "#   Open MPI 5: mpirun --map-by rankfile:file=FILE {}\n"
      "#   (whose FILE must not have the letters \"pe\" in its path)\n",
      placement.ranks.size(), in_comment(placement.topology), slots, known ? "--mca rmaps_rank_file_physical 1 " : "",
      command_of_version_5(placement));
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    const PlacedRank& placed = placement.ranks[rank];
    text += fmt::format("rank {}={} slot={}\n", rank, host_word(placement, placed.node, "localhost"),
                        placed.cpus.empty() ? std::to_string(placed.local_rank) : cpu_word(placed));
  }
  return text;
}

}  // namespace topowise
