// SPDX-License-Identifier: BSD-3-Clause
// Options of srun that give every local rank its GPU and the processors near it. Slurm has one list for all nodes, in
// the order of the local ranks, of GPU numbers (map_gpu) and of hexadecimal masks of processors (mask_cpu).
//
// Ranks whose GPUs are near the same processors share them evenly, in the order of their GPUs: two ranks on one NUMA
// domain would otherwise both place their first threads on its first cores.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/launch/file_words.hpp>
#include <topowise/launch/gpu_script.hpp>
#include <topowise/launch/gpu_vendor.hpp>
#include <topowise/launch/launchers.hpp>
#include <topowise/reading/cpu_list.hpp>

namespace topowise {
namespace {

/// Part `part` of `parts` of each stretch of a cpulist, in which the hardware threads of a core may be far apart. All
/// of it if a stretch is too short.
std::vector<std::size_t> part_of(std::string_view cpulist, std::size_t part, std::size_t parts) {
  const CpuRanges ranges = parse_cpu_list(cpulist).value_or(CpuRanges{});
  const auto size = [](const auto& range) { return static_cast<std::size_t>(range.second - range.first) + 1; };
  if (std::ranges::any_of(ranges, [&](const auto& range) { return size(range) < parts; })) return cpus_in(cpulist);
  std::vector<std::size_t> cpus;
  for (const auto& range : ranges) {
    for (std::size_t i = size(range) * part / parts; i < size(range) * (part + 1) / parts; ++i)
      cpus.push_back(static_cast<std::size_t>(range.first) + i);
  }
  return cpus;
}

/// The processors of each rank of a node.
std::vector<std::vector<std::size_t>> processors_of(const Placement& placement, const std::vector<std::size_t>& ranks) {
  std::vector<std::size_t> order(ranks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto placed = [&](std::size_t i) -> const PlacedRank& { return placement.ranks[ranks[i]]; };
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::tie(placed(i).cpus, placed(i).gpu); });
  std::vector<std::vector<std::size_t>> processors(ranks.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && placed(order[end]).cpus == placed(order[begin]).cpus) ++end;
    for (std::size_t k = begin; k < end; ++k)
      processors[order[k]] = part_of(placed(order[k]).cpus, k - begin, end - begin);
    begin = end;
  }
  return processors;
}

/// What the ranks of all nodes get, and why they get no processors.
struct Maps {
  std::vector<std::size_t> gpus;
  std::vector<std::string> masks;  ///< empty: the processors are left to Slurm
  std::string without_masks;       ///< why; empty if all GPUs are near the same processors
};

/// The masks of a node; none, with the reason, if they are not known or would say nothing.
Maps maps_of(const Placement& placement, const std::vector<std::size_t>& ranks) {
  Maps maps;
  for (const std::size_t rank : ranks)
    maps.gpus.push_back(number_of(placement.nodes[placement.ranks[rank].node], *placement.ranks[rank].gpu));
  std::set<std::string> lists;
  for (const NodeGpu& gpu : placement.nodes[placement.ranks[ranks.front()].node].gpus) lists.insert(gpu.cpus);
  if (lists.size() == 1 && !lists.begin()->empty()) return maps;
  const std::vector<std::vector<std::size_t>> processors = processors_of(placement, ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const PlacedRank& placed = placement.ranks[ranks[i]];
    if (!placed.cpus.empty()) (void)cpu_word(placed);  // throws for what is no list
    if (processors[i].empty()) {
      maps.masks.clear();
      maps.without_masks = fmt::format("those near {} are not known", printable(placed.place));
      return maps;
    }
    const std::string mask = cpu_mask(processors[i], "");
    maps.masks.push_back("0x" + mask.substr(std::min(mask.find_first_not_of('0'), mask.size() - 1)));
  }
  return maps;
}

/// Slurm counts GPUs; tiles of Intel GPUs are parts of them.
void refuse_tiles(const Placement& placement) {
  for (const PlacedRank& rank : placement.ranks) {
    const PlacedNode& node = placement.nodes[rank.node];
    if (vendor_of(node.gpus[*rank.gpu]) != GpuVendor::intel) continue;
    if (affinity_mask(node, *rank.gpu).find('.') == std::string::npos) continue;
    throw bad_input(fmt::format("{} is a part of a GPU, and Slurm's map has whole ones", printable(rank.place)),
                    "--emit shell, or 'topowise run --mapping FILE' in front of the program");
  }
}

Maps maps_of_all(const Placement& placement) {
  require_gpus(placement);
  refuse_several_vendors(placement, "Slurm's map");
  refuse_tiles(placement);
  std::optional<Maps> all;
  for (const std::vector<std::size_t>& ranks : placement.ranks_by_node()) {
    if (ranks.empty()) continue;
    const Maps here = maps_of(placement, ranks);
    if (!all) all = here;
    if (here.gpus != all->gpus) {
      throw bad_input("the nodes need different maps, but Slurm uses one map on all nodes",
                      "--emit shell, or 'topowise run --mapping FILE' in front of the program");
    }
    if (all->masks.empty() || here.masks == all->masks) continue;
    all->masks.clear();
    all->without_masks = here.without_masks.empty() ? "the nodes differ in those near a GPU" : here.without_masks;
  }
  return all.value_or(Maps{});
}

}  // namespace

std::string slurm_gpu_map(const Placement& placement) {
  const Maps maps = maps_of_all(placement);
  return fmt::format("--gpu-bind=map_gpu:{}{}{}\n", fmt::join(maps.gpus, ","),
                     maps.masks.empty() ? "" : " --cpu-bind=mask_cpu:", fmt::join(maps.masks, ","));
}

std::string slurm_gpu_map_note(const Placement& placement) {
  const Maps maps = maps_of_all(placement);
  if (!maps.masks.empty())
    return "this needs a job that has all these processors (--exclusive); else leave --cpu-bind out";
  if (maps.without_masks.empty()) return {};
  return fmt::format("the processors are left to Slurm, because {}", maps.without_masks);
}

}  // namespace topowise
