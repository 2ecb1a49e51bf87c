// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/gpu/islands.hpp>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>

#include <topowise/base/error.hpp>

namespace topowise::collective {
namespace {

/// NVML writes eight digits of the domain, the driver four.
std::string short_bus_id(const std::string& id) {
  constexpr std::size_t kLength = 12;
  std::string text = id.size() > kLength ? id.substr(id.size() - kLength) : id;
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool has_switch(const nvml::Gpu& gpu) {
  return std::ranges::any_of(gpu.links, [](const nvml::NvLink& link) { return link.remote == nvml::Remote::nvswitch; });
}

bool are_bonded(const nvml::Gpu& a, const nvml::Gpu& b) {
  const std::string other = short_bus_id(b.bus_id);
  const auto leads_there = [&](const nvml::NvLink& link) { return short_bus_id(link.remote_bus_id) == other; };
  return (has_switch(a) && has_switch(b)) || std::ranges::any_of(a.links, leads_there);
}

bool below_the_host(nvml::Ancestor ancestor) {
  return ancestor != nvml::Ancestor::unknown && ancestor < nvml::Ancestor::host_bridge;
}

/// Numbers from 0, in the order in which values first come.
template <class Value>
std::vector<int> numbered(const std::vector<Value>& values) {
  std::map<Value, int> numbers;
  std::vector<int> result;
  for (const Value& value : values)
    result.push_back(numbers.emplace(value, static_cast<int>(numbers.size())).first->second);
  return result;
}

Islands islands_by_numa(const std::vector<std::string>& pci) {
  std::vector<int> nodes;
  for (const std::string& id : pci) {
    int node = -1;
    std::ifstream("/sys/bus/pci/devices/" + short_bus_id(id) + "/numa_node") >> node;
    nodes.push_back(node);
  }
  return {.island = numbered(nodes)};
}

}  // namespace

Islands islands_in(const nvml::Report& report, const std::vector<std::string>& pci) {
  std::vector<std::optional<std::size_t>> known;
  for (const std::string& id : pci) {
    const auto found = std::ranges::find_if(
        report.gpus, [&](const nvml::Gpu& gpu) { return short_bus_id(gpu.bus_id) == short_bus_id(id); });
    known.push_back(found == report.gpus.end() ? std::nullopt
                                               : std::optional(static_cast<std::size_t>(found - report.gpus.begin())));
  }
  Islands islands{.bonded = true};
  std::vector<std::size_t> island(pci.size());
  for (std::size_t a = 0; a < pci.size(); ++a) {
    island[a] = a;
    for (std::size_t b = 0; b < a; ++b) {
      const bool both = known[a] && known[b];
      const bool bonded = both && are_bonded(report.gpus[*known[a]], report.gpus[*known[b]]);
      islands.bonded = islands.bonded && bonded;
      if (!both || (!bonded && !below_the_host(report.ancestor(*known[a], *known[b])))) continue;
      const std::size_t joined = island[a];
      std::ranges::replace(island, joined, island[b]);
    }
  }
  islands.island = numbered(island);
  return islands;
}

Islands find_islands(const std::vector<std::string>& pci) {
  static std::mutex& mutex = *new std::mutex;  // never destroyed: threads may outlive the program's static objects
  static auto& known = *new std::map<std::vector<std::string>, Islands>;
  const std::scoped_lock lock(mutex);
  const auto found = known.find(pci);
  if (found != known.end()) return found->second;
  try {
    return known[pci] = islands_in(nvml::ask(), pci);
  } catch (const Error&) {
    return known[pci] = islands_by_numa(pci);
  }
}

}  // namespace topowise::collective
