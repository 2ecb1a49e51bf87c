// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/rank_setup.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/cpu_binding.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/launch/gpu_list.hpp>

namespace topowise::cli {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string short_name(const std::string& host) {
  return lower(host.substr(0, host.find('.')));
}

std::string describe(const NodeGpu& gpu) {
  return gpu.pci ? fmt::format("{} {}", gpu.name, gpu.pci->to_string()) : gpu.name;
}

/// The device that a program gets that chooses "local rank, modulo the visible devices".
Expectation expect_gpu(const PlacedNode& node, std::size_t mine, std::size_t local_rank, const Inherited& environment) {
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

}  // namespace

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

std::vector<int> cpus_near(const Placement& placement, std::size_t rank) {
  const PlacedRank& placed = placement.ranks[rank];
  if (!placed.cpus.empty()) return cpus_in_list(placed.cpus);
  if (!placed.gpu) return {};
  const std::optional<PciAddress>& pci = placement.nodes[placed.node].gpus[*placed.gpu].pci;
  if (!pci) return {};
  const std::string file = "/sys/bus/pci/devices/" + pci->to_string() + "/local_cpulist";
  std::error_code failure;
  if (!std::filesystem::exists(file, failure)) return {};
  const std::string list(trim(read_file(file)));
  return list.empty() ? std::vector<int>{} : cpus_in_list(list);
}

std::vector<Expectation> expectations(const Placement& placement, std::size_t rank, std::size_t local_rank,
                                      bool check_cpus, const Inherited& environment) {
  const PlacedRank& placed = placement.ranks[rank];
  const PlacedNode& node = placement.nodes[placed.node];
  std::vector<Expectation> all;
  if (!node.name.empty())
    all.push_back({"host", node.name, host_name(), short_name(node.name) == short_name(host_name())});
  if (placed.gpu) all.push_back(expect_gpu(node, *placed.gpu, local_rank, environment));
  if (const std::vector<int> wanted = cpus_near(placement, rank); check_cpus && !wanted.empty()) {
    const std::vector<int> allowed = allowed_cpus();
    all.push_back({"processors", cpu_list(wanted), cpu_list(allowed), std::ranges::includes(wanted, allowed)});
  }
  return all;
}

}  // namespace topowise::cli
