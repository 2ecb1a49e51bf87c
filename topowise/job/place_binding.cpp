// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/place_binding.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/job/cpu_binding.hpp>
#include <topowise/reading/cpu_list.hpp>

namespace topowise::job {
namespace {

constexpr std::array<std::string_view, 3> kBindings{"place", "numa", "none"};

/// True for a rank that is bound to the processors of its place alone.
bool is_on_core(const PlacedRank& rank) {
  return !rank.gpu && !rank.cpus.empty();
}

bool share_one(const std::vector<int>& a, const std::vector<int>& b) {
  return std::ranges::any_of(a, [&](int cpu) { return std::ranges::binary_search(b, cpu); });
}

/// The processors that the job may use: the control group leaves these from all.
std::vector<int> permitted_cpus() {
  const std::vector<int> before = allowed_cpus();
  try {
    bind_to_all_cpus();
    std::vector<int> all = allowed_cpus();
    bind_to_cpus(before);
    return all;
  } catch (const Error&) {
    return before;  // a container may refuse every change
  }
}

}  // namespace

std::optional<CpuBinding> parse_cpu_binding(std::string_view text) {
  const auto found = std::ranges::find(kBindings, text);
  if (found == kBindings.end()) return std::nullopt;
  return static_cast<CpuBinding>(found - kBindings.begin());
}

bool binds_cpus(CpuBinding binding, const RankTarget& target) {
  return binding == CpuBinding::numa || (binding == CpuBinding::place && !target.gpu);
}

std::string what_is_not_bound(const Placement& placement, const Topology& topology, CpuBinding binding) {
  const auto nodes = std::ranges::count(topology.places(), PlaceKind::node, &PlaceEntry::kind);
  if (nodes > 0 && !placement.ranks.empty() && !placement.ranks.front().gpu)
    return fmt::format("the places of '{}' are compute nodes, onto which only the launcher puts ranks (map --emit)",
                       placement.topology);
  const auto on_gpu = [](const PlacedRank& rank) { return rank.gpu.has_value(); };
  if (binding == CpuBinding::none && !std::ranges::any_of(placement.ranks, on_gpu))
    return fmt::format(
        "nothing of this mapping is put into effect: the places of '{}' are no GPUs, and --cpu-bind "
        "none binds no rank to processors",
        placement.topology);
  const auto unknown = [&](const PlacedRank& rank) { return !rank.gpu && rank.cpus.empty(); };
  const auto first = std::ranges::find_if(placement.ranks, unknown);
  if (first == placement.ranks.end()) return {};
  if (std::ranges::all_of(placement.ranks, unknown))
    return fmt::format(
        "nothing of this mapping is put into effect: the processors of the places of '{}' are not known (hwloc's XML "
        "and live tell them; map --emit puts ranks on hosts)",
        placement.topology);
  return fmt::format("rank {} is not bound: the processors of {} are not known", first - placement.ranks.begin(),
                     printable(first->place));
}

std::string threads_without_processors(const RankTarget& target, const Inherited& environment) {
  if (target.gpu || target.cpus.empty()) return {};
  const std::size_t processors = cpus_in_list(target.cpus).size();
  for (const char* name : {"OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK"}) {
    const std::string text = environment(name).value_or("");
    const std::optional<std::int64_t> threads = parse_integer(split(text, ',').front());
    if (!threads || *threads <= static_cast<std::int64_t>(processors)) continue;
    return fmt::format(
        "{}={}, but the mapping binds each rank to its core ({} processor{}): --cpu-bind none leaves "
        "the launcher's binding",
        name, printable(text), processors, processors == 1 ? "" : "s");
  }
  return {};
}

std::string lack_of_cpus(const Placement& placement, std::size_t node, const std::vector<int>& permitted) {
  std::vector<std::size_t> lacking;
  std::size_t ranks = 0;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    const PlacedRank& placed = placement.ranks[rank];
    if (placed.node != node || !is_on_core(placed)) continue;
    ++ranks;
    if (!share_one(cpus_in_list(placed.cpus), permitted)) lacking.push_back(rank);
  }
  if (lacking.empty()) return {};
  const PlacedRank& first = placement.ranks[lacking.front()];
  return fmt::format(
      "the job may use processors {}, and {} of {} ranks are mapped to others (rank {} to {}, processors {}); map onto "
      "the cores that the job has ('topowise topology live --save FILE' inside it)",
      to_cpu_list(permitted), lacking.size(), ranks, lacking.front(), printable(first.place), first.cpus);
}

bool bind_to_place(const RankTarget& target, const Placement& placement, const Notices& notices) {
  if (target.gpu || target.cpus.empty()) return false;
  if (!target.host.empty() && !is_same_host(target.host, host_name())) return false;
  const std::size_t node = placement.ranks[target.rank].node;
  const auto first = std::ranges::find(placement.ranks, node, &PlacedRank::node) - placement.ranks.begin();
  const auto say = [&](const std::string& why) {
    if (static_cast<std::size_t>(first) == target.rank)
      notices.warn(fmt::format("the mapping of {} is not in effect: {}", host_name(), why));
    return false;
  };
  if (const std::string lack = lack_of_cpus(placement, node, permitted_cpus()); !lack.empty()) return say(lack);
  const std::vector<int> wanted = cpus_in_list(target.cpus);
  if (std::ranges::includes(wanted, allowed_cpus())) return true;
  try {
    bind_to_cpus(wanted);
    return true;
  } catch (const Error& error) {
    return say(error.diagnostics().front().what);
  }
}

Variables binding_variables(const Inherited& environment) {
  Variables variables;
  for (const char* name : {"MV2_ENABLE_AFFINITY", "MVP_ENABLE_AFFINITY"}) {
    if (!environment(name)) variables.emplace_back(name, "0");
  }
  return variables;
}

}  // namespace topowise::job
