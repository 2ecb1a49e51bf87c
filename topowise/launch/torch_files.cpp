// SPDX-License-Identifier: BSD-3-Clause
// Files for PyTorch and JAX jobs. Their launchers number the processes node by node and GPU by GPU; a program takes its
// rank from the variable RANK, or orders the processes by itself.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/launch/file_words.hpp>
#include <topowise/launch/gpu_script.hpp>
#include <topowise/launch/launchers.hpp>

namespace topowise {
namespace {

/// The ranks of each node that has some, in the order of the nodes.
std::vector<std::vector<std::size_t>> ranks_of_used_nodes(const Placement& placement) {
  std::vector<std::vector<std::size_t>> all = placement.ranks_by_node();
  std::erase_if(all, [](const std::vector<std::size_t>& ranks) { return ranks.empty(); });
  return all;
}

/// The GPUs of a node's ranks, ascending. Throws Error(bad_input) if two ranks share one.
std::vector<std::size_t> gpus_of(const Placement& placement, const std::vector<std::size_t>& ranks) {
  std::vector<std::size_t> gpus;
  for (const std::size_t rank : ranks)
    gpus.push_back(number_of(placement.nodes[placement.ranks[rank].node], *placement.ranks[rank].gpu));
  std::ranges::sort(gpus);
  if (const auto twice = std::ranges::adjacent_find(gpus); twice != gpus.end())
    throw bad_input(fmt::format("several ranks share GPU {} of a node, but DeepSpeed starts one a GPU", *twice),
                    "--emit torchrun");
  return gpus;
}

/// A pattern of sh for `how/HOST`, which finds the host by its name. The mapping or the host may leave the domain out,
/// unless that could mean another node.
std::string host_pattern(const Placement& placement, std::size_t node, const HostNames& names) {
  const std::string host = host_word(placement, node, "*");
  if (host == "*") return "name/*";
  if (is_address(host) || !names.is_alone(host)) return "name/" + host;
  const std::string_view short_name = without_domain(host);
  return fmt::format("name/{}|name/{}", host, short_name == host ? host + ".*" : short_name);
}

/// Lines of sh that set `node`, the number of the node among those with ranks. Nodes whose names are made up have their
/// order alone.
std::string node_cases(const Placement& placement, const std::vector<std::vector<std::size_t>>& nodes) {
  const auto node_of = [&](std::size_t i) { return placement.ranks[nodes[i].front()].node; };
  const bool by_order = nodes.size() > 1 && placement.nodes[node_of(0)].is_invented;
  std::string text = fmt::format(
      "host=$(uname -n)\n"
      "case \"${{TOPOWISE_MATCH_NODES:-{}}}/$host\" in\n"
      "order/*) node=$GROUP_RANK ;;\n",
      by_order ? "order" : "name");
  if (by_order)
    return text +
           "*) echo \"$0: no source names the hosts of the mapping: only TOPOWISE_MATCH_NODES=order is possible, node "
           "rank i is its node i\" >&2; exit 3 ;;\n"
           "esac\n";
  HostNames names;
  for (std::size_t i = 0; i < nodes.size(); ++i) names.add(placement.nodes[node_of(i)].name);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    text +=
        fmt::format("{}) node={} ;;\n", nodes.size() == 1 ? "name/*" : host_pattern(placement, node_of(i), names), i);
  return text +
         "*) echo \"$0: the mapping has no rank on this host, $host (TOPOWISE_MATCH_NODES=order: node rank i is its "
         "node i)\" >&2; exit 3 ;;\n"
         "esac\n";
}

/// Lines of sh that set `rank`, `gpu`, `gpus`, and `ranks`, which is how many ranks the node has.
std::string rank_cases(const Placement& placement, const std::vector<std::vector<std::size_t>>& nodes) {
  std::string text = "case \"$node/$LOCAL_RANK\" in\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t k = 0; k < nodes[i].size(); ++k) {
      const PlacedRank& placed = placement.ranks[nodes[i][k]];
      text += fmt::format("{}/{}) rank={} {} ranks={} ;;\n", i, k, nodes[i][k],
                          gpu_in_shell(placement.nodes[placed.node], *placed.gpu), nodes[i].size());
    }
  }
  return text +
         "*) echo \"$0: the mapping has no local rank '$LOCAL_RANK' on node '$node'\" >&2; exit 3 ;;\n"
         "esac\n"
         "if [ \"$LOCAL_WORLD_SIZE\" != $ranks ]; then\n"
         "  echo \"$0: the mapping has $ranks ranks on node $node, not $LOCAL_WORLD_SIZE\" >&2; exit 3\n"
         "fi\n";
}

}  // namespace

std::string torchrun_wrapper(const Placement& placement) {
  require_gpus(placement);
  const std::vector<std::vector<std::size_t>> nodes = ranks_of_used_nodes(placement);
  return fmt::format(
             "#!/bin/sh\n"
             "# Starts a process of torchrun as the rank that is mapped to its node, with that rank's GPU as device\n"
             "# LOCAL_RANK: {} ranks on '{}'.\n"
             "if [ \"$WORLD_SIZE\" != {} ]; then\n"
             "  echo \"$0: the mapping is for {} ranks, not '$WORLD_SIZE'\" >&2; exit 3\n"
             "fi\n",
             placement.ranks.size(), in_comment(placement.topology), placement.ranks.size(), placement.ranks.size()) +
         node_cases(placement, nodes) + rank_cases(placement, nodes) +
         "if [ \"$rank\" = 0 ] && [ \"$GROUP_RANK\" != 0 ] && [ \"$TORCHELASTIC_USE_AGENT_STORE\" != True ]; then\n"
         "  echo \"$0: rank 0 is mapped to node rank $GROUP_RANK, but must listen on node rank 0\" >&2; exit 3\n"
         "fi\n"
         "[ \"$ROLE_WORLD_SIZE\" = \"$WORLD_SIZE\" ] && export ROLE_RANK=$rank\n"
         "export RANK=$rank\n"
         "local_rank=$LOCAL_RANK\n" +
         gpu_list_in_shell(placement);
}

std::string deepspeed_hostfile(const Placement& placement) {
  require_gpus(placement);
  refuse_several_vendors(placement, "DeepSpeed's hostfile");
  std::vector<std::vector<std::size_t>> nodes = ranks_of_used_nodes(placement);
  std::ranges::stable_sort(nodes, {}, [](const std::vector<std::size_t>& ranks) { return ranks.front(); });
  std::string hosts;
  std::vector<std::string> included;
  bool all = true;
  for (const std::vector<std::size_t>& ranks : nodes) {
    const std::size_t number = placement.ranks[ranks.front()].node;
    const PlacedNode& node = placement.nodes[number];
    const std::string host = host_word(placement, number, "localhost");
    const std::vector<std::size_t> gpus = gpus_of(placement, ranks);
    all = all && gpus.size() == node.gpus.size() && !has_gaps(node);
    included.push_back(fmt::format("{}:{}", host, fmt::join(gpus, ",")));
    hosts += fmt::format("{} slots={}\n", host, number_of(node, node.gpus.size() - 1) + 1);
  }
  return fmt::format(
             "# {} ranks on '{}', one a GPU; which of them is which rank, says the mapping. To be read with\n"
             "#   deepspeed --hostfile FILE {}--no_python --no_local_rank topowise run --mapping MAPPING -- python "
             "train.py\n",
             placement.ranks.size(), in_comment(placement.topology),
             all ? "" : fmt::format("--include {} ", fmt::join(included, "@"))) +
         hosts;
}

std::string rank_order(const Placement& placement) {
  Placement on_hosts = placement;
  std::erase_if(on_hosts.ranks, [&](const PlacedRank& rank) { return placement.nodes[rank.node].is_place(); });
  require_gpus(on_hosts);
  const std::string_view counted = knows_nodes(placement)   ? "node by node and GPU by GPU"
                                   : on_hosts.ranks.empty() ? "place by place"
                                                            : "node by node, GPU by GPU and place by place";
  std::vector<std::size_t> ranks(placement.ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::ranges::stable_sort(
      ranks, {}, [&](std::size_t rank) { return std::pair(placement.ranks[rank].node, placement.ranks[rank].gpu); });
  std::vector<std::size_t> process_of(ranks.size());
  for (std::size_t process = 0; process < ranks.size(); ++process) process_of[ranks[process]] = process;
  return fmt::format("# {} ranks on '{}': the process of each, counted {}\n{}\n", placement.ranks.size(),
                     in_comment(placement.topology), counted, fmt::join(process_of, "\n"));
}

}  // namespace topowise
