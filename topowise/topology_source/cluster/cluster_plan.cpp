// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/cluster/cluster_plan.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/topology_source/cluster/job_hosts.hpp>

namespace topowise {
namespace {

constexpr std::string_view kForm =
    "cluster:FABRIC,NODE[,hosts=job][,nic=50GB/s], as cluster:topology.conf,preset:hgx-h100";

/// At commas that no bracket encloses.
std::vector<std::string> split_outside_brackets(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// The '=' behind a key or a list of hosts, not one in the path of a file.
std::size_t assignment(std::string_view part) {
  const std::size_t equals = part.find('=');
  const std::size_t other = part.find_first_of("/:");
  return equals != std::string_view::npos && equals < other ? equals : std::string_view::npos;
}

void read_part(const std::string& part, ClusterWords& words) {
  const std::size_t equals = assignment(part);
  const std::string key = equals == std::string::npos ? "" : part.substr(0, equals);
  const std::string value = equals == std::string::npos ? part : part.substr(equals + 1);
  if (value.empty()) throw usage_error(fmt::format("'{}' is not complete", printable(part)), std::string(kForm));
  if (key == "hosts") {
    std::vector<std::string> hosts = named_hosts(value);
    if (!words.hosts) words.hosts.emplace();
    words.hosts->insert(words.hosts->end(), hosts.begin(), hosts.end());
  } else if (key == "nic") {
    words.nic = parse_bandwidth(value);
    if (!words.nic || !(words.nic->value() > 0))
      throw usage_error(fmt::format("nic: '{}' is no bandwidth", printable(value)), "nic=50GB/s");
  } else if (key == "nvlink") {
    if (value != "leaf") throw usage_error(fmt::format("nvlink: '{}' is not leaf", printable(value)), "nvlink=leaf");
    words.shared_nvlink = true;
  } else {
    words.nodes.push_back({value, key.empty() ? std::vector<std::string>{} : named_hosts(key)});
  }
}

}  // namespace

ClusterWords parse_cluster(std::string_view description) {
  const std::vector<std::string> parts = split_outside_brackets(description);
  ClusterWords words{.fabric = parts.front()};
  for (std::size_t i = 1; i < parts.size(); ++i) read_part(parts[i], words);
  if (words.fabric.empty() || words.nodes.empty())
    throw usage_error(fmt::format("'cluster:{}' wants a fabric and a node", printable(description.substr(0, 200))),
                      std::string(kForm));
  const auto for_all = std::ranges::count_if(words.nodes, [](const NodeWords& node) { return node.hosts.empty(); });
  if (for_all > 1) throw usage_error("several nodes are for all hosts", "cluster:FABRIC,n[01-16]=NODE,n[17-20]=OTHER");
  return words;
}

}  // namespace topowise
