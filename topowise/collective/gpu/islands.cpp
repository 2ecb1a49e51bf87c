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

/// How two GPUs reach each other.
enum class Joined : unsigned char { not_at_all, below_the_host, by_wires };

template <class JoinedBy>
Islands islands_of(std::size_t gpus, JoinedBy joined_by) {
  Islands islands{.bonded = true};
  std::vector<std::size_t> island(gpus);
  for (std::size_t a = 0; a < gpus; ++a) {
    island[a] = a;
    for (std::size_t b = 0; b < a; ++b) {
      const Joined joined = joined_by(a, b);
      islands.bonded = islands.bonded && joined == Joined::by_wires;
      if (joined == Joined::not_at_all) continue;
      const std::size_t old = island[a];
      std::ranges::replace(island, old, island[b]);
    }
  }
  islands.island = numbered(island);
  return islands;
}

std::vector<int> numa_nodes(const std::vector<std::string>& pci) {
  std::vector<int> nodes;
  for (const std::string& id : pci) {
    int node = -1;
    std::ifstream("/sys/bus/pci/devices/" + short_bus_id(id) + "/numa_node") >> node;
    nodes.push_back(node);
  }
  return nodes;
}

/// The driver's numbers of these GPUs; -1 for those that it hides from this process.
std::vector<int> ordinals(const device::Driver& driver, const std::vector<std::string>& pci) {
  std::vector<int> found;
  for (const std::string& id : pci) {
    const auto device = std::ranges::find_if(
        driver.devices(), [&](const device::Device& one) { return short_bus_id(one.pci) == short_bus_id(id); });
    found.push_back(device == driver.devices().end() ? -1 : device->ordinal);
  }
  return found;
}

Islands islands_by_driver(const device::Driver& driver, const std::vector<std::string>& pci) {
  const std::vector<int> device = ordinals(driver, pci);
  return islands_by_wires(numa_nodes(pci), [&](std::size_t a, std::size_t b) {
    try {
      return device[a] >= 0 && device[b] >= 0 && driver.peer_link(device[a], device[b]).bonded;
    } catch (const Error&) {  // an old driver does not say
      return false;
    }
  });
}

bool knows_one(const nvml::Report& report, const std::vector<std::string>& pci) {
  return std::ranges::any_of(report.gpus, [&](const nvml::Gpu& gpu) {
    return std::ranges::any_of(pci,
                               [&](const std::string& id) { return short_bus_id(id) == short_bus_id(gpu.bus_id); });
  });
}

Islands look_for_islands(const device::Driver& driver, const std::vector<std::string>& pci) {
  try {
    const nvml::Report report = nvml::ask();
    if (knows_one(report, pci)) return islands_in(report, pci);
  } catch (const Error&) {  // no NVIDIA GPU is here
  }
  return islands_by_driver(driver, pci);
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
  return islands_of(pci.size(), [&](std::size_t a, std::size_t b) {
    if (!known[a] || !known[b]) return Joined::not_at_all;
    if (are_bonded(report.gpus[*known[a]], report.gpus[*known[b]])) return Joined::by_wires;
    return below_the_host(report.ancestor(*known[a], *known[b])) ? Joined::below_the_host : Joined::not_at_all;
  });
}

Islands islands_by_wires(const std::vector<int>& numa,
                         const std::function<bool(std::size_t a, std::size_t b)>& bonded) {
  return islands_of(numa.size(), [&](std::size_t a, std::size_t b) {
    if (bonded(a, b)) return Joined::by_wires;
    return numa[a] == numa[b] ? Joined::below_the_host : Joined::not_at_all;
  });
}

Islands find_islands(const device::Driver& driver, const std::vector<std::string>& pci) {
  static std::mutex& mutex = *new std::mutex;  // never destroyed: threads may outlive the program's static objects
  static auto& known = *new std::map<std::vector<std::string>, Islands>;
  const std::scoped_lock lock(mutex);
  const auto found = known.find(pci);
  return found != known.end() ? found->second : known[pci] = look_for_islands(driver, pci);
}

}  // namespace topowise::collective
