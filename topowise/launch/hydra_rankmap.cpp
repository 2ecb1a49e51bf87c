// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <topowise/launch/file_words.hpp>
#include <topowise/launch/launchers.hpp>

namespace topowise {

std::string hydra_rankmap(const Placement& placement) {
  // hydra numbers the hosts of -hosts; the list has the number of each rank's host.
  std::vector<std::string> hosts;
  std::vector<std::size_t> number(placement.nodes.size());
  const std::vector<std::vector<std::size_t>> by_node = placement.ranks_by_node();
  for (std::size_t node = 0; node < by_node.size(); ++node) {
    number[node] = hosts.size();
    const std::size_t ranks = by_node[node].size();
    if (ranks > 0) hosts.push_back(fmt::format("{}:{}", host_word(placement, node, "localhost"), ranks));
  }
  std::vector<std::size_t> host_of_rank;
  for (const PlacedRank& rank : placement.ranks) host_of_rank.push_back(number[rank.node]);
  return fmt::format("-hosts {} -rankmap {}\n", fmt::join(hosts, ","), fmt::join(host_of_rank, ","));
}

}  // namespace topowise
