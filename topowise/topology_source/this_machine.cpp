// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/this_machine.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/join.hpp>
#include <topowise/topology_source/live/live.hpp>
#include <topowise/topology_source/merge/place_subset.hpp>
#include <topowise/topology_source/node/on_node.hpp>

namespace topowise {
namespace {

/// The places of `machine` that are in the list, in its order. If its places have no bus ids, all of them, with what
/// the list knows.
Topology only_listed(const Topology& machine, const std::vector<LiveGpu>& list) {
  std::vector<PlaceIdentity> keep;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const Place place : gpu_places(machine)) {
      const std::optional<PciAddress>& pci = machine.vertex_of(place).pci;
      if (pci ? *pci == list[i].pci : place.index() == i) keep.push_back({place, list[i].pci, list[i].uuid});
    }
  }
  return keep.size() == list.size() && !keep.empty() ? with_places(machine, keep) : machine;
}

/// The same machine without graphics inside the processor, if that leaves a GPU. A driver may list it among its GPUs.
Topology without_integrated(const Topology& machine, const std::vector<PciAddress>& integrated) {
  std::vector<PlaceIdentity> keep;
  for (const Place place : gpu_places(machine)) {
    const std::optional<PciAddress>& pci = machine.vertex_of(place).pci;
    if (!pci || std::ranges::find(integrated, *pci) == integrated.end()) keep.push_back({place, {}, {}});
  }
  const bool some = !keep.empty() && keep.size() < machine.place_count();
  return some ? with_places(machine, keep) : machine;
}

/// Joins the PCI tree of hwloc, else of sysfs, and the driver's bonds, for the GPUs that may be used here.
Topology join_parts(LiveMachine& found) {
  const auto is_integrated = [&](const LiveGpu& gpu) {
    return std::ranges::find(found.integrated, gpu.pci) != found.integrated.end();
  };
  if (!std::ranges::all_of(found.gpus, is_integrated)) std::erase_if(found.gpus, is_integrated);
  std::optional<Topology> host;
  if (found.hwloc) host = topology_format(found.hwloc->format).read(found.hwloc->where, found.hwloc->text);
  std::optional<Topology> joined;
  if (host && !gpu_places(*host).empty())
    joined = only_listed(*host, found.gpus);
  else if (found.bus)
    joined = only_listed(*found.bus, found.gpus);
  const auto join = [&](const Topology& machine) { joined = joined ? with_part(*joined, machine) : machine; };
  for (const Topology& driver : found.drivers) join(without_integrated(driver, found.integrated));
  for (const LiveReport& report : found.tools)
    join(only_listed(topology_format(report.format).read(report.where, report.text), found.gpus));
  if (!joined) joined = host;
  if (joined && found.hwloc) joined = with_named_rates(*std::move(joined), {found.hwloc->text});
  if (joined) return on_node(with_warnings(*joined, found.warnings), found.host);
  throw not_available(fmt::format("nothing here can describe this machine: {}", fmt::join(found.missing, "; ")),
                      "apt-get install libhwloc15");
}

}  // namespace

LiveTopology read_live() {
  LiveMachine found = look_around();
  return {join_parts(found), std::move(found.nvml), std::move(found.limits)};
}

}  // namespace topowise
