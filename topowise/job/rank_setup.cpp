// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/rank_setup.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/job/cpu_binding.hpp>
#include <topowise/job/memory_policy.hpp>
#include <topowise/job/process.hpp>
#include <topowise/launch/gpu_list.hpp>

namespace topowise::cli {
namespace {

/// Whether the host has such a NUMA domain: a description of another machine may name others.
bool has_domain(int number) {
  std::error_code failure;
  return number >= 0 && std::filesystem::exists(fmt::format("/sys/devices/system/node/node{}", number), failure);
}

std::string describe(const NodeGpu& gpu) {
  return gpu.pci ? fmt::format("{} {}", gpu.name, gpu.pci->to_string()) : gpu.name;
}

/// "GPU-" or "MIG-" stands before it: the driver writes no "MIG-".
std::string digits_of(const std::string& uuid) {
  return lower(uuid.substr(std::min(uuid.size(), uuid.find('-'))));
}

/// Nothing if the two have no property in common that names a GPU. Older drivers name a part of a GPU by its number on
/// the GPU, "MIG-GPU-.../1/0".
std::optional<bool> is_same(const NodeGpu& gpu, const device::Device& device) {
  const bool comparable = gpu.uuid.find('/') == std::string::npos;
  if (!gpu.uuid.empty() && !device.uuid.empty() && comparable) return digits_of(gpu.uuid) == digits_of(device.uuid);
  const std::optional<PciAddress> address = PciAddress::parse(device.pci);
  if (gpu.pci && address) return *gpu.pci == *address;
  return std::nullopt;
}

}  // namespace

Expectation listed_device(const PlacedNode& node, std::size_t mine, std::size_t local_rank,
                          const Inherited& environment) {
  Expectation gpu{"device", describe(node.gpus[mine]), "none", false};
  VisibleGpus visible;
  const std::optional<std::string> cuda = environment("CUDA_VISIBLE_DEVICES");
  const std::optional<std::string> hip = environment("HIP_VISIBLE_DEVICES");
  if (cuda || hip) {
    visible = cuda ? visible_gpus(node, "CUDA_VISIBLE_DEVICES", *cuda)
                   : visible_gpus_of_hip(node, environment("ROCR_VISIBLE_DEVICES"), hip);
  } else {
    visible = visible_gpus_of_hip(node, environment("ROCR_VISIBLE_DEVICES"), std::nullopt);
  }
  if (visible.gpus.empty()) return gpu;
  const std::size_t actual = visible.gpus[local_rank % visible.gpus.size()];
  gpu.actual = describe(node.gpus[actual]);
  gpu.met = actual == mine;
  std::error_code failure;
  if (gpu.met && node.gpus[mine].pci &&
      !std::filesystem::exists("/sys/bus/pci/devices/" + node.gpus[mine].pci->to_string(), failure)) {
    gpu.actual = "no such device on this host";
    gpu.met = false;
  }
  return gpu;
}

Placement read_placement(const std::string& path) {
  const std::string text = read_file(path);
  const MappingResult result = mapping_from_json(path, text);
  const std::optional<Topology> topology = mapped_topology_from_json(path, text);
  if (!topology) {
    throw bad_input(fmt::format("'{}' does not hold the machine that it maps to", path),
                    "topowise map TRAFFIC TOPOLOGY --save FILE writes both");
  }
  return place_ranks(result.mapping, *topology);
}

void check_job(const Placement& placement, const JobProcess& process) {
  const std::size_t size = process.size.value_or(placement.ranks.size());
  if (size == placement.ranks.size() && process.rank < size) return;
  throw bad_input(
      fmt::format("the mapping is for {} ranks, but this is rank {} of {}", placement.ranks.size(), process.rank, size),
      fmt::format("start {} ranks, or map the traffic of a run with {}", placement.ranks.size(), size));
}

RankTarget target_of(const Placement& placement, const JobProcess& process, GpuBinding binding,
                     const Inherited& environment) {
  const PlacedRank& placed = placement.ranks[process.rank];
  const PlacedNode& node = placement.nodes[placed.node];
  RankTarget target{
      process.rank, process.local_rank.value_or(placed.local_rank), node.name, placed.place, {}, placed.cpus, {}};
  if (placed.gpu) target.gpu = node.gpus[*placed.gpu];
  target.variables = gpu_environment(placement, process.rank, target.local_rank, binding, environment);
  return target;
}

std::vector<int> cpus_near(const RankTarget& target) {
  if (!target.cpus.empty()) return cpus_in_list(target.cpus);
  if (!target.gpu || !target.gpu->pci) return {};
  const std::string file = "/sys/bus/pci/devices/" + target.gpu->pci->to_string() + "/local_cpulist";
  std::error_code failure;
  if (!std::filesystem::exists(file, failure)) return {};
  const std::string list(trim(read_file(file)));
  return list.empty() ? std::vector<int>{} : cpus_in_list(list);
}

std::optional<int> device_of(const RankTarget& target, GpuBinding binding, const device::Driver& driver) {
  const std::vector<device::Device>& devices = driver.devices();
  if (!target.gpu || devices.empty()) return std::nullopt;
  if (binding != GpuBinding::set_device) return devices[target.local_rank % devices.size()].ordinal;
  const auto chosen = std::ranges::find_if(
      devices, [&](const device::Device& device) { return is_same(*target.gpu, device).value_or(false); });
  return chosen == devices.end() ? std::nullopt : std::optional(chosen->ordinal);
}

std::optional<Expectation> driven_device(const RankTarget& target, GpuBinding binding,
                                         const std::optional<device::Driver>& driver) {
  if (!target.gpu || !driver) return std::nullopt;
  Expectation gpu{"device", describe(*target.gpu), "none", false};
  const std::optional<int> ordinal = device_of(target, binding, *driver);
  if (!ordinal) return gpu;
  const device::Device& device = driver->devices()[static_cast<std::size_t>(*ordinal)];
  const std::optional<bool> met = is_same(*target.gpu, device);
  if (!met) return std::nullopt;
  gpu.actual = fmt::format("{} {}", device.uuid, device.pci);
  gpu.met = *met;
  return gpu;
}

std::vector<Expectation> surroundings(const RankTarget& target, bool check_cpus) {
  std::vector<Expectation> all;
  if (!target.host.empty())
    all.push_back({"host", target.host, host_name(), short_host_name(target.host) == short_host_name(host_name())});
  if (const std::vector<int> wanted = cpus_near(target); check_cpus && !wanted.empty()) {
    const std::vector<int> allowed = allowed_cpus();
    all.push_back({"processors", cpu_list(wanted), cpu_list(allowed), std::ranges::includes(wanted, allowed)});
  }
  const int wanted = target.gpu ? target.gpu->numa : -1;
  if (const std::optional<MemoryPolicy> policy = memory_policy(); policy && has_domain(wanted)) {
    all.push_back({"memory", fmt::format("node {}", wanted), policy->words(), policy->reaches(wanted)});
  }
  return all;
}

}  // namespace topowise::cli
