// SPDX-License-Identifier: BSD-3-Clause
// Counted from the host bridge, every second bridge is a switch (its upstream port). The others are ports of the root
// or of a switch.
#include <topowise/topology_source/node/pci_paths.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/topology_source/node/device_topology.hpp>
#include <topowise/topology_source/node/gpu_names.hpp>
#include <topowise/topology_source/node/hidden_bonds.hpp>

namespace topowise {
namespace {

PathClass class_of(const PciDevice& a, const PciDevice& b) {
  if (a.host_bridge != b.host_bridge)
    return {a.device.numa >= 0 && a.device.numa == b.device.numa ? PathKind::node : PathKind::sys, 0};
  const auto [left, right] = std::ranges::mismatch(a.bridges, b.bridges);
  const auto common = static_cast<std::size_t>(left - a.bridges.begin());
  if (common == 0) return {PathKind::phb, 0};
  const std::size_t below = std::max(a.bridges.size(), b.bridges.size()) - common;
  return {below <= 1 ? PathKind::pix : PathKind::pxb, 0};
}

bool has_word_of(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

DeviceMatrix matrix_of_paths(std::vector<PciDevice> devices, const std::string& where, Warnings& warnings) {
  if (devices.size() > DeviceMatrix::kMost)
    fail({where, {}, fmt::format("more than {} devices in one machine", DeviceMatrix::kMost), {}, {}});
  std::ranges::stable_sort(devices, {}, [](const PciDevice& each) {
    return std::tuple(each.device.kind != VertexKind::gpu, each.device.pci);
  });
  std::vector<NumberedGpu> found;
  for (const PciDevice& each : devices) {
    if (each.device.kind == VertexKind::gpu) found.push_back({each.number, each.device.pci});
  }
  std::vector<PciDevice> ordered;
  std::vector<NumberedGpu> gpus;
  for (const std::size_t i : order_of_gpus(found)) {
    ordered.push_back(devices[i]);
    gpus.push_back(found[i]);
  }
  std::ranges::copy(ordered, devices.begin());
  const std::vector<int> numbers = numbers_for_programs(gpus);
  GpuNames naming;
  for (std::size_t i = 0; i < gpus.size(); ++i) naming.add(devices[i].vendor, numbers[i]);
  const std::vector<std::string> names = naming.names();
  if (const std::optional<std::string> warning = naming.warning()) warnings.add(fmt::format("{}: {}", where, *warning));
  std::vector<Device> list;
  for (const PciDevice& each : devices) {
    list.push_back(each.device);
    if (each.device.kind != VertexKind::gpu) continue;
    list.back().name = names[list.size() - 1];
    list.back().number = numbers[list.size() - 1];
    list.back().vendor = vendor_if_intel(each.vendor);
  }
  DeviceMatrix matrix(std::move(list));
  bool assumed = false;
  for (std::size_t a = 0; a < devices.size(); ++a) {
    for (std::size_t b = a + 1; b < devices.size(); ++b) {
      matrix.pair(a, b).path = class_of(devices[a], devices[b]);
      assumed = assumed || (devices[a].host_bridge != devices[b].host_bridge &&
                            (devices[a].device.numa < 0 || devices[b].device.numa < 0));
    }
  }
  if (assumed) {
    warnings.assume("SYS between devices below different host bridges");
    warnings.add(
        fmt::format("{}: NUMA domains are not known: devices below different host bridges are taken to be SYS "
                    "apart",
                    where));
  }
  return matrix;
}

}  // namespace

void keep_gpu_places(std::vector<PciDevice>& devices, bool has_cores, const std::string& where, Warnings& warnings) {
  std::vector<GpuCandidate> candidates;
  for (const PciDevice& each : devices) candidates.push_back(each.gpu);
  const GpuChoice choice = choose_gpus(candidates, has_cores);
  for (const std::string& notice : choice.notices) warnings.add(fmt::format("{}: {}", where, notice));
  std::vector<PciDevice> kept;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].device.kind == VertexKind::nic || choice.is_place[i]) kept.push_back(std::move(devices[i]));
  }
  devices = std::move(kept);
}

Topology topology_of_paths(const std::string& where, std::vector<PciDevice> devices, const PciTreeSource& source,
                           Warnings& warnings) {
  if (std::ranges::none_of(devices, [](const PciDevice& each) { return each.device.kind == VertexKind::gpu; }))
    fail({where, {}, fmt::format("no GPU is named in this {}", source.text), {}, std::string(source.command)});
  const DeviceMatrix matrix = matrix_of_paths(std::move(devices), where, warnings);
  warnings.assume(std::string(kNoOtherBonds));
  warnings.add(fmt::format("{} {}: {}. Unknown is not absent: join a source that does, FILE+OTHER", where,
                           kBondsNotShown, source.bonds));
  return build_topology(where, matrix, source.name, warnings);
}

bool names_nic(std::string_view name) {
  return has_word_of(name, {"ConnectX", "BlueField", "Ethernet", "InfiniBand", "Infiniband", "Omni-Path", "Cassini",
                            "Slingshot", "Elastic Fabric Adapter", "Mellanox"}) &&
         !has_word_of(name, {"DMA", "PCIe Bridge", "Switch"});
}

}  // namespace topowise
