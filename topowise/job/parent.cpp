// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/parent.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/gpu_vendor.hpp>
#include <topowise/job/gpu_share.hpp>
#include <topowise/job/preload.hpp>
#include <topowise/topology_source/cluster/batch_system.hpp>

namespace topowise::job {

std::optional<std::size_t> node_of_parent(const Placement& placement, const Process& process, NodeMatch match,
                                          const std::string& host) {
  if (!knows_nodes(placement)) return std::nullopt;
  const std::vector<std::vector<std::size_t>> by_node = placement.ranks_by_node();
  std::vector<std::size_t> used;
  HostNames names;
  for (std::size_t node = 0; node < by_node.size(); ++node) {
    if (by_node[node].empty()) continue;
    used.push_back(node);
    names.add(placement.nodes[node].name);
  }
  // Some launchers do not state how many processes they start: then this may be a rank of the mapping.
  const std::size_t processes = process.size.value_or(process.launcher.empty() ? 1 : 0);
  const bool one_each = processes == used.size() && (processes == 1 || process.local_size == 1U);
  if (!one_each || placement.ranks.size() <= processes) return std::nullopt;
  if (used.size() == 1) return used.front();
  if (match == NodeMatch::order) return process.rank < used.size() ? std::optional(used[process.rank]) : std::nullopt;
  const std::optional<std::size_t> found = names.find(host);
  if (!found)
    throw bad_input(fmt::format("the mapping has no rank on this host, {}", printable(host)),
                    "map to the hosts of the job, or --match-nodes order: process i is on the mapping's node i");
  return used[*found];
}

void arrange_workers(const Placement& placement, std::size_t node, const Notices& notices) {
  const std::vector<std::size_t> ranks = placement.ranks_by_node()[node];
  Inherited inherited = environment;
  if (placement.ranks[ranks.front()].gpu) {
    const ShareOnNode share = require_share(placement, ranks.front(), true, this_witness(), notices);
    for (std::size_t k = 1; k < ranks.size(); ++k)
      (void)require_share(placement, ranks[k], false, this_witness(), notices);
    inherited = within_share(placement.nodes[node], share, environment);
  }
  const Variables variables = gpu_environment_of_parent(placement, node, inherited);
  if (variables.empty())
    throw bad_input(fmt::format("the mapping is for {}, but this is one process, and its places are no GPUs",
                                counted(placement.ranks.size(), "rank")),
                    "start one process for each rank");
  for (const auto& [name, value] : variables) set_variable(name, value);
  // The variables of several vendors hold the same list; the order of CUDA's numbers is no list.
  const std::vector<std::string> lists = visible_devices_variables();
  const auto found = std::ranges::find_if(
      variables, [&](const auto& variable) { return std::ranges::find(lists, variable.first) != lists.end(); });
  const auto& [name, value] = found != variables.end() ? *found : variables.back();
  notices.note(fmt::format("{}={}: device k is the GPU of worker k, of {}", name, value, ranks.size()));
}

}  // namespace topowise::job
