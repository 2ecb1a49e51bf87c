// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/rank_setup.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/job/cpu_binding.hpp>

namespace topowise::job {
namespace {

/// GPUs that compute are "3D controllers" (0x0302), or "processing accelerators" (0x1200).
bool has_display_class(const std::filesystem::path& file) {
  std::ifstream input(file);
  std::string pci_class;
  input >> pci_class;
  return pci_class.starts_with("0x0302") || pci_class.starts_with("0x12");
}

}  // namespace

MappedMachine read_mapped_machine(const std::string& path) {
  const std::string text = read_text(path);
  MappingResult result = mapping_from_json(path, text);
  std::optional<Topology> topology = mapped_topology_from_json(path, text);
  if (!topology) {
    throw bad_input(fmt::format("'{}' does not hold the machine that it maps to", path),
                    "topowise map TRAFFIC TOPOLOGY --save FILE writes both");
  }
  return {std::move(result.mapping), std::move(*topology)};
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
      process.rank, process.local_rank.value_or(placed.local_rank), node.name, placed.place, {}, placed.cpus, {}, {}};
  if (placed.gpu) target.gpu = node.gpus[*placed.gpu];
  target.variables = gpu_environment(placement, process.rank, target.local_rank, binding, environment);
  return target;
}

std::string sign_of_another_machine(const RankTarget& target, const std::string& host, const std::string& bus) {
  if (!target.host.empty() && !is_same_host(target.host, host))
    return fmt::format("rank {} is mapped to host {} but runs on {}{}", target.rank, target.host, host,
                       target.gpu || target.cpus.empty() ? "" : ", where it is bound to no core");
  std::error_code failure;
  if (!target.gpu || !target.gpu->pci || std::filesystem::exists(bus + "/" + target.gpu->pci->to_string(), failure))
    return {};
  // A container may hide the bus: then it shows no GPU at all.
  for (std::filesystem::directory_iterator entry(bus, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (has_display_class(entry->path() / "class")) {
      return fmt::format("rank {} is mapped to {} at {}, but this host has no device there", target.rank,
                         target.gpu->name, target.gpu->pci->to_string());
    }
  }
  return {};
}

std::vector<int> cpus_near(const RankTarget& target) {
  if (!target.cpus.empty()) return cpus_in_list(target.cpus);
  if (!target.gpu || !target.gpu->pci) return {};
  const std::string file = "/sys/bus/pci/devices/" + target.gpu->pci->to_string() + "/local_cpulist";
  std::error_code failure;
  if (!std::filesystem::exists(file, failure)) return {};
  const std::string list(trim(read_text(file)));
  return list.empty() ? std::vector<int>{} : cpus_in_list(list);
}

}  // namespace topowise::job
