// SPDX-License-Identifier: BSD-3-Clause
// Slurm says to each task where its host is in the network (srun(1)), from the outermost switch to the host:
//   SLURM_TOPOLOGY_ADDR=s0.s4.s8.node1
//   SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.switch.node
// The lines of the tasks of all hosts describe the network of the job. Where each line has its task before it, as `srun
// --label` writes it, the domain of NVLink of each host may be among them, as `nvidia-smi -q` prints it for each GPU:
//   3:         CliqueId                          : 1
//   3:         ClusterUUID                       : 5a3b...
// A ClusterUUID of zeros is that of GPUs whose NVLinks do not leave the host.
#include <topowise/topology_source/node/text_formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
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

/// The text behind a variable's name in a line; empty if it is another line.
std::string_view value_of(std::string_view line, std::string_view variable) {
  const std::size_t at = line.find(variable);
  return at == std::string_view::npos ? std::string_view() : trim(line.substr(at + variable.size()));
}

/// How many names are before the host: the pattern says it, because a host's name may have dots.
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

/// The task before a line: 3 in "3: CliqueId : 1"; empty if there is none.
std::string_view label_of(std::string_view line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string_view label = trim(line.substr(0, colon));
  return std::ranges::all_of(label, is_digit) ? label : std::string_view();
}

/// The value of a line "NAME : VALUE" of nvidia-smi, behind the task.
std::string_view field_of(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = trim(line.substr(at + name.size()));
  return rest.starts_with(':') ? trim(rest.substr(1)) : std::string_view();
}

/// What nvidia-smi says of the domains of one task's GPUs.
struct Domain {
  std::set<std::string> clusters;
  std::set<std::string> cliques;

  /// Empty if its GPUs are in none, or not all in one.
  [[nodiscard]] std::string name() const {
    if (clusters.size() != 1 || cliques.size() != 1) return {};
    const bool none = clusters.begin()->find_first_not_of("0-") == std::string::npos || *clusters.begin() == "N/A";
    return none ? std::string() : fmt::format("{}.{}", *clusters.begin(), *cliques.begin());
  }
};

struct Host {
  std::string name;
  std::vector<std::string> path;
  std::string label;
};

std::vector<Host> hosts_in(const TextLines& lines) {
  const std::size_t levels = levels_of(lines);
  std::vector<Host> hosts;
  std::map<std::string, std::vector<std::string>> paths;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const std::string_view address = value_of(lines[line], kAddress);
    if (address.empty()) continue;
    Host host;
    std::string_view rest = address;
    while (host.path.size() < levels && rest.find('.') != std::string_view::npos)
      host.path.push_back(printable(take_part(rest, '.')));
    if ((levels != std::string_view::npos && host.path.size() != levels) || rest.empty())
      fail(lines.at(line, address,
                    fmt::format("{} has not the {} names of the pattern", in_quotes(address), levels + 1)));
    host.name = printable(rest);
    host.label = label_of(lines[line]);
    const auto [known, is_new] = paths.try_emplace(host.name, host.path);
    if (!is_new && known->second != host.path)
      fail(lines.at(line, address,
                    levels == std::string_view::npos
                        ? fmt::format("two hosts end with {}: the pattern of the addresses is missing "
                                      "(SLURM_TOPOLOGY_ADDR_PATTERN)",
                                      in_quotes(host.name))
                        : fmt::format("another address of {} than before", in_quotes(host.name))));
    if (!is_new) continue;  // another task of the host
    if (paths.size() > kMostHosts) fail(lines.at(line, address, fmt::format("more than {} hosts", kMostHosts)));
    hosts.push_back(std::move(host));
  }
  return hosts;
}

std::map<std::string, Domain, std::less<>> domains_in(const TextLines& lines) {
  std::map<std::string, Domain, std::less<>> domains;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const std::string_view cluster = field_of(lines[line], "ClusterUUID");
    const std::string_view clique = field_of(lines[line], "CliqueId");
    const std::string_view label = label_of(lines[line]);
    if ((cluster.empty() && clique.empty()) || label.empty() || domains.size() > kMostHosts) continue;
    Domain& domain = domains[std::string(label)];
    constexpr std::size_t kMost = 2;  // more are as good as two
    if (!cluster.empty() && domain.clusters.size() < kMost) domain.clusters.insert(printable(cluster));
    if (!clique.empty() && domain.cliques.size() < kMost) domain.cliques.insert(printable(clique));
  }
  return domains;
}

/// Adds its domain of NVLink to the path of each host. A domain whose hosts are below different switches is no level.
void add_domains(const std::string& where, const TextLines& lines, std::vector<Host>& hosts, Warnings& warnings) {
  const std::map<std::string, Domain, std::less<>> domains = domains_in(lines);
  const auto domain_of = [&](const Host& host) {
    const auto found = domains.find(host.label);
    return host.label.empty() || found == domains.end() ? std::string() : found->second.name();
  };
  std::map<std::string, std::vector<std::string>> path_of;
  std::set<std::string> split;
  for (const Host& host : hosts)
    if (const std::string name = domain_of(host); !name.empty())
      if (const auto [at, is_new] = path_of.try_emplace(name, host.path); !is_new && at->second != host.path)
        split.insert(name);
  for (const std::string& name : split)
    warnings.add(fmt::format("{}: the hosts of the domain of NVLink {} are below different switches; it is left out",
                             where, in_quotes(name)));
  for (Host& host : hosts)
    if (const std::string name = domain_of(host); !name.empty() && !split.contains(name)) host.path.push_back(name);
}

Topology read(const std::string& where, std::string_view text) {
  const TextLines lines(where, text);
  std::vector<Host> hosts = hosts_in(lines);
  if (hosts.empty())
    fail({where,
          {},
          "no line has the address of a host",
          {},
          "srun --ntasks-per-node=1 env | grep ^SLURM_TOPOLOGY_ADDR > FILE"});
  if (hosts.size() > 1 && std::ranges::all_of(hosts, [](const Host& host) { return host.path.empty(); }))
    fail({where,
          {},
          "the addresses name hosts without switches, so Slurm does not know the network",
          {},
          "'ibnetdiscover' or 'kubectl get nodes -o json' may describe it"});
  Warnings warnings;
  add_domains(where, lines, hosts, warnings);
  PathTree tree(where);
  for (Host& host : hosts) {
    tree.add(std::move(host.name), host.path);
  }
  return build_topology(where, std::move(tree).finish("network"), kSource, warnings);
}

}  // namespace

const TopologyFormat kSlurmAddressFormat{
    "slurm-addresses", "where each host of a job is: srun --ntasks-per-node=1 env | grep ^SLURM_TOPOLOGY_ADDR",
    recognises, read, kLargestCluster};

}  // namespace topowise
