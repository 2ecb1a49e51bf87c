// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/machine_summary.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include <topowise/base/plural.hpp>
#include <topowise/base/text.hpp>

namespace topowise {
namespace {

using PartsOfHosts = std::map<std::string_view, std::vector<NodePart>>;

std::size_t count_parts(const PartsOfHosts& hosts, std::size_t level) {
  std::size_t count = 0;
  for (const auto& [name, parts] : hosts) {
    if (!divides(level, parts)) continue;
    std::set<std::int16_t> numbers;
    for (const NodePart& part : parts) numbers.insert(part.number[level]);
    numbers.erase(NodePart::kAnywhere);
    count += numbers.size();
  }
  return count;
}

}  // namespace

std::string machine_summary(std::span<const std::string> host_of_process, const char* topology,
                            std::span<const NodePart> part_of_process) {
  static constexpr std::array<std::string_view, kNodeLevels> kNames{"package", "NUMA domain", "L3 cache", "L2 cache"};
  PartsOfHosts hosts;
  for (std::size_t process = 0; process < host_of_process.size(); ++process)
    hosts[host_of_process[process]].push_back(part_of_process.empty() ? NodePart{} : part_of_process[process]);
  std::string text = counted(hosts.size(), "host");
  if (topology != nullptr)
    text += fmt::format(" of '{}'", printable(topology));
  else if (hosts.size() > 1)
    text += ", taken to be equally far from each other";
  std::vector<std::string> parts;
  for (std::size_t level = 0; level < kNodeLevels; ++level) {
    if (const std::size_t count = count_parts(hosts, level); count > 0) parts.push_back(counted(count, kNames[level]));
  }
  return parts.empty() ? text : fmt::format("{}; ranks are bound to {}", text, fmt::join(parts, ", "));
}

}  // namespace topowise
