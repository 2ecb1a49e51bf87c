// SPDX-License-Identifier: BSD-3-Clause
// /sys/bus/pci/devices/0000:07:00.0 is a link to .../pci0000:00/0000:00:01.0/0000:05:00.0/0000:06:08.0/0000:07:00.0:
// the bridges from the host bridge down to the device. A PCIe switch is one bridge upwards and one for each device
// below it, so two devices behind one switch differ by one bridge each, and behind several switches by more.
#include <topowise/topology_source/live/sysfs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/node/device_topology.hpp>
#include <topowise/topology_source/node/gpu_names.hpp>
#include <topowise/topology_source/node/link_rate.hpp>
#include <topowise/topology_source/node/pci_class.hpp>

namespace topowise {
namespace {

namespace fs = std::filesystem;

/// One attribute without the blanks around it; empty if it is missing or may not be read.
std::string attribute(const fs::path& device, const char* name) {
  std::error_code ignored;
  if (!fs::exists(device / name, ignored)) return {};
  try {
    return std::string(trim(read_file((device / name).string())));
  } catch (const Error&) {
    return {};
  }
}

/// The bandwidth of "16.0 GT/s PCIe" times "16"; 0 if either is missing.
BytesPerSecond link_bandwidth(const fs::path& device) {
  const std::string speed = attribute(device, "max_link_speed");
  const double gigatransfers = parse_double(speed.substr(0, speed.find(' '))).value_or(0.0);
  const auto lanes = parse_integer(attribute(device, "max_link_width")).value_or(0);
  return pcie_bandwidth(gigatransfers, static_cast<int>(std::clamp<std::int64_t>(lanes, 0, 32)));
}

BytesPerSecond narrower(BytesPerSecond a, BytesPerSecond b) {
  if (!(a.value() > 0) || !(b.value() > 0)) return std::max(a, b);
  return std::min(a, b);
}

void read_path(const fs::path& device, BusGpu& gpu) {
  for (const fs::path& part : device.parent_path()) {
    const std::string name = part.string();
    if (name.starts_with("pci")) gpu.root = name;
    if (const std::optional<PciAddress> bridge = PciAddress::parse(name)) gpu.bridges.push_back(*bridge);
  }
}

PciFunction function_of(const fs::path& entry, PciAddress pci) {
  return {.type = parse_pci_class(attribute(entry, "class"), attribute(entry, "vendor")),
          .device = parse_pci_id(attribute(entry, "device")),
          .pci = pci};
}

std::optional<BusGpu> read_gpu(const fs::path& entry) {
  const std::optional<PciAddress> pci = PciAddress::parse(entry.filename().string());
  if (!pci) return std::nullopt;
  const PciFunction function = function_of(entry, *pci);
  if (gpu_kind(function) != GpuKind::discrete) return std::nullopt;
  std::error_code failure;
  const fs::path device = fs::canonical(entry, failure);
  if (failure) return std::nullopt;
  BusGpu gpu{.pci = *pci, .vendor = function.type.vendor};
  gpu.numa = static_cast<int>(
      std::clamp<std::int64_t>(parse_integer(attribute(device, "numa_node")).value_or(-1), -1, 1 << 16));
  gpu.cpus = attribute(device, "local_cpulist");
  read_path(device, gpu);
  gpu.bandwidth = link_bandwidth(device);
  if (!gpu.bridges.empty()) gpu.bandwidth = narrower(gpu.bandwidth, link_bandwidth(device.parent_path()));
  return gpu;
}

}  // namespace

std::vector<BusGpu> gpus_on_bus(const std::string& folder) {
  std::vector<BusGpu> gpus;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    if (std::optional<BusGpu> gpu = read_gpu(entry->path())) gpus.push_back(std::move(*gpu));
  }
  std::ranges::sort(gpus, {}, &BusGpu::pci);
  return gpus;
}

std::vector<PciAddress> integrated_on_bus(const std::string& folder) {
  std::vector<PciAddress> found;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::optional<PciAddress> pci = PciAddress::parse(entry->path().filename().string());
    if (pci && gpu_kind(function_of(entry->path(), *pci)) == GpuKind::integrated) found.push_back(*pci);
  }
  return found;
}

PathClass path_between(const BusGpu& a, const BusGpu& b) {
  if (a.numa >= 0 && b.numa >= 0 && a.numa != b.numa) return {PathKind::sys};
  if (a.root != b.root) return {PathKind::node};
  const auto differs = std::ranges::mismatch(a.bridges, b.bridges);
  if (differs.in1 == a.bridges.begin()) return {PathKind::phb};
  const auto below = std::max(a.bridges.end() - differs.in1, b.bridges.end() - differs.in2);
  return {below <= 1 ? PathKind::pix : PathKind::pxb};
}

Device device_of(const BusGpu& gpu, std::string name) {
  Device device{.kind = VertexKind::gpu, .name = std::move(name)};
  device.pci = gpu.pci;
  device.numa = gpu.numa;
  device.cpus = gpu.cpus;
  device.pcie = gpu.bandwidth;
  device.vendor = vendor_if_intel(gpu_vendor(gpu.vendor));
  return device;
}

Topology topology_of(const std::vector<BusGpu>& gpus) {
  GpuNames naming;
  for (const BusGpu& gpu : gpus) naming.add(gpu_vendor(gpu.vendor));
  const std::vector<std::string> names = naming.names();
  std::vector<Device> devices;
  for (const BusGpu& gpu : gpus) devices.push_back(device_of(gpu, names[devices.size()]));
  DeviceMatrix matrix(std::move(devices));
  for (std::size_t a = 0; a < gpus.size(); ++a) {
    for (std::size_t b = a + 1; b < gpus.size(); ++b) matrix.pair(a, b).path = path_between(gpus[a], gpus[b]);
  }
  Warnings warnings;
  const auto meets_unplaced = [&](const BusGpu& a, const BusGpu& b) {
    return a.root != b.root && (a.numa < 0 || b.numa < 0);
  };
  for (const BusGpu& a : gpus) {
    if (std::ranges::any_of(gpus, [&](const BusGpu& b) { return meets_unplaced(a, b); }))
      warnings.assume("NODE between GPUs below different host bridges, whose NUMA domains the system does not state");
  }
  if (const std::optional<std::string> warning = naming.warning()) warnings.add(*warning);
  return build_topology("sysfs", matrix, "sysfs", warnings);
}

}  // namespace topowise
