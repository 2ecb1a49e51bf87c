// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/rank_setup.hpp>

#include <fmt/format.h>

#include <filesystem>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/job/cpu_binding.hpp>

namespace topowise::job {

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

void check_job(const Placement& placement, const Process& process) {
  const std::size_t size = process.size.value_or(placement.ranks.size());
  if (size == placement.ranks.size() && process.rank < size) return;
  throw bad_input(
      fmt::format("the mapping is for {} ranks, but this is rank {} of {}", placement.ranks.size(), process.rank, size),
      fmt::format("start {} ranks, or map the traffic of a run with {}", placement.ranks.size(), size));
}

RankTarget target_of(const Placement& placement, const Process& process, GpuBinding binding,
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

}  // namespace topowise::job
