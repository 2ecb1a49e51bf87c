// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/gpu_share.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <topowise/base/child_process.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/device/table.hpp>
#include <topowise/graph/gpu_vendor.hpp>
#include <topowise/job/preload.hpp>
#include <topowise/launch/gpu_vendor.hpp>

namespace topowise::job {
namespace {

constexpr int kDriverSeconds = 60;

bool lists_gpus(const Inherited& environment) {
  return std::ranges::any_of(visible_devices_variables(),
                             [&](const std::string& name) { return environment(name).has_value(); });
}

/// The entries of the vendor's variable for those of its GPUs that are the job's.
std::string list_of(const PlacedNode& node, GpuVendor vendor, const ShareOnNode& share) {
  const GpusOfVendor own = gpus_of_vendor(node, vendor);
  const std::vector<std::size_t> numbers = gpu_numbers(own.node);
  std::vector<std::string> entries;
  for (std::size_t g = 0; g < own.in_node.size(); ++g) {
    if (std::ranges::find(share.gpus, own.in_node[g]) == share.gpus.end()) continue;
    entries.push_back(vendor == GpuVendor::intel ? affinity_mask(node, own.in_node[g]) : std::to_string(numbers[g]));
  }
  return fmt::format("{}", fmt::join(entries, ","));
}

void require_inside(const Placement& placement, const std::vector<std::size_t>& ranks, const ShareOnNode& share) {
  constexpr const char* kHint = "map to the GPUs of this job: topowise topology live --save FILE, started like the job";
  std::set<std::size_t> used;
  for (const std::size_t rank : ranks) {
    const PlacedRank& placed = placement.ranks[rank];
    if (!placed.gpu) continue;
    used.insert(*placed.gpu);
    if (std::ranges::find(share.gpus, *placed.gpu) != share.gpus.end()) continue;
    const PlacedNode& node = placement.nodes[placed.node];
    const NodeGpu& gpu = node.gpus[*placed.gpu];
    std::vector<std::string> names;
    for (const std::size_t each : share.gpus) names.push_back(node.gpus[each].name);
    throw bad_input(
        fmt::format("rank {} is mapped to {}{}, which is not among the job's GPUs here ({}): {}", rank, gpu.name,
                    gpu.pci ? fmt::format(" ({})", gpu.pci->to_string()) : "", share.sources, fmt::join(names, ", ")),
        kHint);
  }
  if (share.fewer && used.size() > *share.fewer)
    throw bad_input(fmt::format("the ranks of this node are mapped to {} GPUs, and this job or step has {} here ({})",
                                used.size(), *share.fewer, share.sources),
                    kHint);
}

/// How many GPUs the drivers show, each opened in a child process, because a driver reads its variables only once.
std::size_t gpus_in_driver() {
  const std::optional<std::string> count = answer_of_child(
      [] {
        std::string reason;
        const std::optional<device::Driver> driver = device::find_driver(reason);
        return std::to_string(driver ? driver->devices().size() : 0);
      },
      kDriverSeconds);
  return static_cast<std::size_t>(parse_integer(count.value_or(std::string())).value_or(0));
}

}  // namespace

ShareOnNode share_of(const PlacedNode& node, const JobShare& share) {
  const std::vector<std::size_t> numbers = gpu_numbers(node);
  std::vector<ShareGpu> gpus;
  for (std::size_t g = 0; g < node.gpus.size(); ++g) gpus.push_back({numbers[g], node.gpus[g].uuid});
  return share_on_node(share, gpus);
}

Inherited within_share(const PlacedNode& node, const ShareOnNode& share, const Inherited& environment) {
  if (share.gpus.size() == node.gpus.size() || lists_gpus(environment)) return environment;
  std::map<std::string, std::string> lists;
  for (const GpuVendor vendor : vendors_of(node)) {
    const std::string variable(visible_devices_of(vendor == GpuVendor::unknown ? GpuVendor::nvidia : vendor));
    if (std::string list = list_of(node, vendor, share); !variable.empty() && !list.empty())
      lists.emplace(variable, std::move(list));
  }
  return [lists, environment](const std::string& name) {
    const auto own = lists.find(name);
    return own == lists.end() ? environment(name) : std::optional(own->second);
  };
}

ShareOnNode require_share(const Placement& placement, std::size_t rank, bool first_of_node, const JobWitness& witness,
                          const Notices& notices) {
  JobWitness without_programs = witness;
  without_programs.program = nullptr;
  const std::size_t number = placement.ranks[rank].node;
  const PlacedNode& node = placement.nodes[number];
  ShareOnNode own = share_of(node, job_share(without_programs, ShareOf::process));
  require_inside(placement, {rank}, own);
  if (!first_of_node) return own;
  JobShare share = job_share(without_programs, ShareOf::job);
  if (share.lists.empty() && share.count && share.count->gpus < node.gpus.size())
    share = job_share(witness, ShareOf::job);
  const ShareOnNode of_job = share_of(node, share);
  require_inside(placement, placement.ranks_by_node()[number], of_job);
  if (!of_job.conflict.empty()) notices.warn(of_job.conflict);
  if (of_job.fewer)
    notices.warn(fmt::format(
        "this job or step has {} of {} GPUs of this node ({}), and nothing says which: the mapped ones may be "
        "those of another job or step",
        *of_job.fewer, of_job.gpus.size(), of_job.sources));
  return own;
}

std::string keep_to_share() {
  if (lists_gpus(environment)) return {};
  const JobShare share = job_share(this_witness(), ShareOf::process);
  if (share.lists.empty()) return {};
  std::vector<ShareGpu> gpus(gpus_in_driver());
  for (std::size_t g = 0; g < gpus.size(); ++g) gpus[g].number = g;
  const ShareOnNode found = share_on_node(share, gpus);
  if (found.gpus.size() == gpus.size()) return {};
  const std::string list = fmt::format("{}", fmt::join(found.gpus, ","));
  set_variable("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  set_variable("CUDA_VISIBLE_DEVICES", list);  // AMD's runtime reads it, too
  return fmt::format("GPUs {} are this job's ({})", list, found.sources);
}

}  // namespace topowise::job
