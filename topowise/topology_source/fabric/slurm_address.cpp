// SPDX-License-Identifier: BSD-3-Clause
// Slurm tells each task where its host is in the network (srun(1)), from the outermost switch to the host:
//   SLURM_TOPOLOGY_ADDR=s0.s4.s8.node1
//   SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.switch.node
// The lines of the tasks of all hosts describe the network of the job.
#include <topowise/topology_source/fabric/slurm_address.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/fabric/hostlist.hpp>
#include <topowise/topology_source/fabric/network_tree.hpp>
#include <topowise/topology_source/fabric/path_tree.hpp>

namespace topowise {
namespace {

constexpr std::string_view kSource = "slurm";
constexpr std::string_view kAddress = "SLURM_TOPOLOGY_ADDR=";
constexpr std::string_view kPattern = "SLURM_TOPOLOGY_ADDR_PATTERN=";
constexpr std::size_t kMostSwitches = std::size_t{1} << 16;

/// The text behind a variable's name in a line; empty if it is another line.
std::string_view value_of(std::string_view line, std::string_view variable) {
  const std::size_t at = line.find(variable);
  return at == std::string_view::npos ? std::string_view() : trim(line.substr(at + variable.size()));
}

/// How many names stand before the host: the pattern says it, because a host's name may have dots.
std::size_t levels_of(const TextLines& lines) {
  std::string_view pattern;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const std::string_view value = value_of(lines[line], kPattern);
    if (value.empty()) continue;
    if (!pattern.empty() && value != pattern)
      fail(lines.at(line, value, fmt::format("another pattern than {} before", in_quotes(pattern))));
    pattern = value;
    if (!value.ends_with("node")) fail(lines.at(line, value, "the pattern does not end with 'node'"));
  }
  if (pattern.empty()) return std::string_view::npos;
  return static_cast<std::size_t>(std::ranges::count(pattern, '.'));
}

bool recognises(std::string_view head) {
  return head.find(kAddress) != std::string_view::npos;
}

Topology read(const std::string& where, std::string_view text) {
  const TextLines lines(where, text);
  const std::size_t levels = levels_of(lines);
  PathTree tree;
  std::set<std::string> hosts;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const std::string_view address = value_of(lines[line], kAddress);
    if (address.empty()) continue;
    std::vector<std::string> path;
    std::string_view rest = address;
    while (path.size() < levels && rest.find('.') != std::string_view::npos)
      path.push_back(printable(take_part(rest, '.')));
    if ((levels != std::string_view::npos && path.size() != levels) || rest.empty())
      fail(lines.at(line, address,
                    fmt::format("{} has not the {} names of the pattern", in_quotes(address), levels + 1)));
    if (!hosts.insert(printable(rest)).second) continue;  // another task of the host
    if (hosts.size() > kMostHosts) fail(lines.at(line, address, fmt::format("more than {} hosts", kMostHosts)));
    tree.add(printable(rest), path);
    if (tree.size() > kMostSwitches) fail(lines.at(line, address, fmt::format("more than {} switches", kMostSwitches)));
  }
  if (hosts.empty())
    fail({where,
          {},
          "no line has the address of a host",
          {},
          "srun --ntasks-per-node=1 env | grep ^SLURM_TOPOLOGY_ADDR > FILE"});
  Warnings warnings;
  return build_topology(where, std::move(tree).finish("network"), kSource, warnings);
}

}  // namespace

const TopologyFormat kSlurmAddressFormat{
    "slurm-addresses", "where each host of a job is: srun --ntasks-per-node=1 env | grep ^SLURM_TOPOLOGY_ADDR",
    recognises, read, kLargestCluster};

}  // namespace topowise
