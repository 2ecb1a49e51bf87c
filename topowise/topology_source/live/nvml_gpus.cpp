// SPDX-License-Identifier: BSD-3-Clause
// NVML says where two GPUs meet on the PCI tree (the common ancestor) and, for every NVLink of a GPU, what is at
// its other end. Both are kept: the ancestors give the tree, the links the bonds. A bond through NVSwitches is as wide
// as the GPU with fewer links to switches, which is also what `nvidia-smi topo -m` prints. An NVLink of version 1
// carries 20 GB/s in each direction, of 2 to 4 25 GB/s, of 5 50 GB/s (hwloc's NVML backend, NVIDIA's data sheets).
#include <topowise/topology_source/live/nvml_gpus.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include <topowise/reading/cpu_list.hpp>
#include <topowise/topology_source/live/simulated.hpp>
#include <topowise/topology_source/node/cpu_mask.hpp>
#include <topowise/topology_source/node/device_matrix.hpp>
#include <topowise/topology_source/node/device_topology.hpp>
#include <topowise/topology_source/node/link_rate.hpp>

namespace topowise {
namespace {

/// The rate of one link in one direction; 0 for a version that is not known.
BytesPerSecond rate_of_version(unsigned version) {
  const auto of = [](const Rate& rate) { return gigabytes_per_second(rate.gigabytes_per_second); };
  if (version == 1) return of(rate::kNvlink1);
  if (version >= 2 && version <= 4) return of(rate::kNvlink2);
  return version == 5 ? of(rate::kNvlink5) : BytesPerSecond();
}

double gigatransfers(unsigned pcie_generation) {
  constexpr std::array kByGeneration{0.0, 2.5, 5.0, 8.0, 16.0, 32.0, 64.0};
  return pcie_generation < kByGeneration.size() ? kByGeneration[pcie_generation] : 0.0;
}

std::optional<PathClass> class_of(nvml::Ancestor ancestor) {
  switch (ancestor) {
    case nvml::Ancestor::internal:
      return PathClass{PathKind::same_board};
    case nvml::Ancestor::single_switch:
      return PathClass{PathKind::pix};
    case nvml::Ancestor::several_switches:
      return PathClass{PathKind::pxb};
    case nvml::Ancestor::host_bridge:
      return PathClass{PathKind::phb};
    case nvml::Ancestor::node:
      return PathClass{PathKind::node};
    case nvml::Ancestor::system:
      return PathClass{PathKind::sys};
    case nvml::Ancestor::unknown:
      break;
  }
  return std::nullopt;
}

Device device_of(const nvml::Gpu& gpu) {
  Device device{.kind = VertexKind::gpu, .name = fmt::format("GPU{}", gpu.index)};
  device.pci = PciAddress::parse(gpu.bus_id);
  device.numa = gpu.numa.value_or(-1);
  device.cpus = to_cpu_list(gpu.cpus);
  device.uuid = gpu.uuid;
  device.number = static_cast<int>(gpu.index);
  device.pcie = pcie_bandwidth(gigatransfers(gpu.pcie_generation), static_cast<int>(gpu.pcie_lanes));
  device.capacity = std::max(1, static_cast<int>(gpu.mig_ids.size()));
  return device;
}

/// The sum of all links from one GPU to one other end.
struct Bond {
  int width = 0;
  BytesPerSecond rate;
  bool complete = true;  ///< the rate of every link is known

  void add(const nvml::NvLink& link) {
    ++width;
    const BytesPerSecond one = rate_of_version(link.version);
    complete = complete && one.value() > 0;
    rate += one;
  }
};

struct NvLinks {
  std::map<PciAddress, Bond> to_gpu;
  Bond to_switches;
};

NvLinks bonds_of(const nvml::Gpu& gpu) {
  NvLinks bonds;
  for (const nvml::NvLink& link : gpu.links) {
    if (link.remote == nvml::Remote::nvswitch) bonds.to_switches.add(link);
    if (link.remote != nvml::Remote::gpu) continue;
    if (const std::optional<PciAddress> other = PciAddress::parse(link.remote_bus_id)) bonds.to_gpu[*other].add(link);
  }
  return bonds;
}

void read_bond(const Bond& ours, const Bond& theirs, DevicePair& pair) {
  const Bond& narrow = ours.width <= theirs.width ? ours : theirs;
  if (narrow.width == 0) return;
  pair.path = PathClass{PathKind::nvlink, narrow.width};
  if (narrow.complete) pair.bandwidth = narrow.rate;
}

/// The class of a pair of which NVML does not report where the two meet. NUMA domains that differ show that it is SYS.
PathClass host_class_by_numa(const Device& a, const Device& b, Warnings& warnings) {
  if (a.numa >= 0 && b.numa >= 0 && a.numa != b.numa) return {PathKind::sys};
  const PathClass path{a.numa >= 0 && a.numa == b.numa ? PathKind::node : PathKind::sys};
  warnings.assume(fmt::format("{} between {} and {}", to_string(path), a.name, b.name));
  warnings.add(fmt::format("NVML does not say where {} and {} meet; {} is assumed", a.name, b.name, to_string(path)));
  return path;
}

DeviceMatrix matrix_of(const nvml::Report& report, Warnings& warnings) {
  std::vector<Device> devices;
  std::vector<NvLinks> bonds;
  for (const nvml::Gpu& gpu : report.gpus) {
    devices.push_back(device_of(gpu));
    bonds.push_back(bonds_of(gpu));
  }
  DeviceMatrix matrix(std::move(devices));
  for (std::size_t a = 0; a < matrix.size(); ++a) {
    for (std::size_t b = a + 1; b < matrix.size(); ++b) {
      DevicePair& pair = matrix.pair(a, b);
      pair.host = class_of(report.ancestor(a, b));
      if (!pair.host) pair.host = host_class_by_numa(matrix.device(a), matrix.device(b), warnings);
      pair.path = pair.host;
      read_bond(bonds[a].to_switches, bonds[b].to_switches, pair);
      const auto forth = matrix.device(b).pci ? bonds[a].to_gpu.find(*matrix.device(b).pci) : bonds[a].to_gpu.end();
      if (forth != bonds[a].to_gpu.end()) read_bond(forth->second, forth->second, pair);
    }
  }
  return matrix;
}

void warn_of_partitions(const nvml::Report& report, Warnings& warnings) {
  for (const nvml::Gpu& gpu : report.gpus) {
    if (gpu.mig.value_or(false))
      warnings.add(fmt::format("GPU{} is partitioned (MIG, {} instances): a partition has no peer access", gpu.index,
                               gpu.mig_ids.size()));
  }
}

}  // namespace

Topology topology_of(const nvml::Report& report) {
  const Provenance source = provenance(origin::kNvml, report.gpus, [](const nvml::Gpu& gpu) { return gpu.name; });
  Warnings warnings;
  for (const std::string& problem : report.problems) warnings.add(problem);
  DeviceMatrix matrix = matrix_of(report, warnings);
  read_peers(
      matrix,
      [&](std::size_t a, std::size_t b) {
        const auto is_partitioned = [&](std::size_t gpu) { return report.gpus[gpu].mig.value_or(false); };
        return report.peer(a, b) != nvml::PeerRead::refused && !is_partitioned(a) && !is_partitioned(b);
      },
      warnings);
  warn_of_partitions(report, warnings);
  return build_topology(source.origin(), matrix, source, warnings);
}

}  // namespace topowise
