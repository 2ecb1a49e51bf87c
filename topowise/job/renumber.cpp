// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/renumber.hpp>

#include <fmt/format.h>

#include <set>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/text.hpp>

namespace topowise::job {
namespace {

/// The nodes that have ranks.
std::vector<std::size_t> used_nodes(const Placement& placement) {
  std::set<std::size_t> used;
  for (const PlacedRank& rank : placement.ranks) used.insert(rank.node);
  return {used.begin(), used.end()};
}

std::size_t node_by_order(const std::vector<std::size_t>& used, const Process& process) {
  if (*process.node_rank < used.size()) return used[*process.node_rank];
  throw bad_input(
      fmt::format("the mapping has ranks on {} nodes, but this is node rank {}", used.size(), *process.node_rank),
      "start the job on as many nodes as the mapping has");
}

std::size_t node_by_name(const Placement& placement, const std::vector<std::size_t>& used, const std::string& host) {
  HostNames names;
  for (const std::size_t node : used) names.add(placement.nodes[node].name);
  if (const std::optional<std::size_t> found = names.find(host)) return used[*found];
  throw bad_input(fmt::format("the mapping has no rank on this host, {}", printable(host)),
                  "map to the hosts of the job, or --match-nodes order: node rank i is the mapping's node i");
}

}  // namespace

std::optional<NodeMatch> parse_node_match(std::string_view text) {
  if (text == "name") return NodeMatch::name;
  if (text == "order") return NodeMatch::order;
  return std::nullopt;
}

Process renumbered(const Placement& placement, const Process& process, NodeMatch match, const std::string& host) {
  if (!process.node_rank && process.node_rank_variable == nullptr) return process;
  if (!knows_nodes(placement)) return process;
  const std::vector<std::size_t> used = used_nodes(placement);
  // Without these numbers the process would take the rank of another process.
  if (!process.local_rank || (!process.node_rank && used.size() > 1)) {
    throw bad_input(fmt::format("the environment has no {} of this process of {}: {} is missing, or no number",
                                process.local_rank ? "node rank" : "local rank", process.launcher,
                                process.local_rank ? process.node_rank_variable : "LOCAL_RANK"),
                    "start it by the launcher, which sets it");
  }
  const std::size_t node = used.size() == 1            ? used.front()
                           : match == NodeMatch::order ? node_by_order(used, process)
                                                       : node_by_name(placement, used, host);
  const std::vector<std::size_t> ranks = placement.ranks_by_node()[node];
  const std::string name = printable(placement.nodes[node].name.empty() ? host : placement.nodes[node].name);
  const std::size_t started = process.local_size.value_or(ranks.size());
  if (started != ranks.size())
    throw bad_input(fmt::format("the mapping has {} ranks on node {}, but {} has started {} there", ranks.size(), name,
                                process.launcher, started),
                    "start as many processes a node as the mapping has ranks there");
  if (*process.local_rank >= ranks.size())
    throw bad_input(fmt::format("the mapping has {} ranks on node {}, but LOCAL_RANK of this process is {}",
                                ranks.size(), name, *process.local_rank),
                    "LOCAL_RANK counts the processes of a node from 0: start it by the launcher, which sets it");
  Process now = process;
  now.rank = ranks[*process.local_rank];
  return now;
}

Variables rank_variables(const Process& before, const Process& now, const Inherited& inherited) {
  if (now.rank == before.rank) return {};
  const bool agent_listens = inherited("TORCHELASTIC_USE_AGENT_STORE") == "True";
  if (now.rank == 0 && before.node_rank.value_or(0) != 0 && !agent_listens) {
    throw bad_input(
        fmt::format("rank 0 is mapped to node rank {}, but it must listen at MASTER_ADDR, which is on node rank 0",
                    *before.node_rank),
        "give the node of rank 0 the node rank 0; torchrun listens itself with --node-rank on every node, or from "
        "PyTorch 2.4 on");
  }
  Variables variables{{"RANK", std::to_string(now.rank)}};
  if (inherited("ROLE_RANK") && inherited("ROLE_WORLD_SIZE") == inherited("WORLD_SIZE"))
    variables.emplace_back("ROLE_RANK", std::to_string(now.rank));
  return variables;
}

}  // namespace topowise::job
