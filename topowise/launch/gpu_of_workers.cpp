// SPDX-License-Identifier: BSD-3-Clause
// The list of visible GPUs for a process that makes its workers itself (vLLM, torch.multiprocessing.spawn): it starts
// before its workers have ranks, so one list must serve all of them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/launch/gpu_environment.hpp>
#include <topowise/launch/gpu_vendor.hpp>

namespace topowise {
namespace {

constexpr const char* kOneRankEach = "start one process for each rank (torchrun, mpirun, srun)";

/// Throws unless the order of one list can give every rank of the node its GPU.
void require_order(const Placement& placement, const std::vector<std::size_t>& ranks) {
  std::set<std::size_t> used;
  std::set<GpuVendor> vendors;
  for (const std::size_t rank : ranks) {
    const PlacedRank& placed = placement.ranks[rank];
    if (!placed.gpu)
      throw bad_input(fmt::format("rank {} is mapped to {}, which is no GPU", rank, placed.place), kOneRankEach);
    const NodeGpu& gpu = placement.nodes[placed.node].gpus[*placed.gpu];
    if (!used.insert(*placed.gpu).second)
      throw bad_input(fmt::format("several ranks are mapped to {}: a list names it once", gpu.name), kOneRankEach);
    if (!gpu.partitions.empty())
      throw bad_input(fmt::format("{} is partitioned: a program sees one part of it and nothing else", gpu.name),
                      kOneRankEach);
    vendors.insert(vendor_of(gpu));
  }
  if (vendors.size() > 1) throw bad_input("the ranks are on GPUs of several vendors, each with a list", kOneRankEach);
  if (vendors.contains(GpuVendor::intel))
    throw bad_input("Level Zero keeps the order of its devices, whatever its list says", kOneRankEach);
}

}  // namespace

Variables gpu_environment_of_parent(const Placement& placement, std::size_t node, const Inherited& inherited) {
  const std::vector<std::size_t> ranks = placement.ranks_by_node()[node];
  if (std::ranges::none_of(ranks, [&](std::size_t rank) { return placement.ranks[rank].gpu.has_value(); })) return {};
  require_order(placement, ranks);
  // Every rank's own list has its GPU at the position of its local rank, and the others of the node as well.
  Variables variables = gpu_environment(placement, ranks.front(), 0, GpuBinding::permute, inherited);
  for (auto& [name, value] : variables) {
    if (!name.ends_with("_VISIBLE_DEVICES")) continue;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < ranks.size(); ++k) {
      for (const auto& [own_name, own] : gpu_environment(placement, ranks[k], k, GpuBinding::only, inherited))
        if (own_name == name) names.push_back(own);
    }
    for (const std::string_view other : split(value, ',')) {
      if (std::ranges::find(names, other) == names.end()) names.emplace_back(other);
    }
    value = fmt::format("{}", fmt::join(names, ","));
  }
  return variables;
}

}  // namespace topowise
