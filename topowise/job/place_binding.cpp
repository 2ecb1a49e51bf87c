// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/place_binding.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/job/cpu_binding.hpp>
#include <topowise/reading/cpu_list.hpp>

namespace topowise::job {
namespace {

/// What else helps where the processors of the job are known by its binding.
constexpr const char* kAsBound =
    "; if the job has more, have the launcher bind nobody (srun --cpu-bind=none, mpirun --bind-to none)";

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
  std::vector<int> before = allowed_cpus();
  try {
    bind_to_all_cpus();
    std::vector<int> all = allowed_cpus();
    bind_to_cpus(before);
    return all;
  } catch (const Error&) {
    return before;  // a container may refuse every change
  }
}

/// The least number of processors that a job of Slurm has on a node: 36 of "72(x2),36".
std::optional<std::int64_t> least_cpus_of_job(const Inherited& environment) {
  const std::string text = environment("SLURM_JOB_CPUS_PER_NODE").value_or("");
  std::optional<std::int64_t> least;
  for (const std::string_view part : split(text, ',')) {
    const std::optional<std::int64_t> count = parse_integer(part.substr(0, part.find('(')));
    if (!count) return std::nullopt;
    least = std::min(*count, least.value_or(*count));
  }
  return least;
}

/// The processors in a list of hexadecimal masks, "0x1,0x2".
std::set<int> cpus_in_masks(std::string_view masks) {
  std::set<int> cpus;
  for (std::string_view mask : split(masks, ',')) {
    if (mask.starts_with("0x")) mask.remove_prefix(2);
    for (std::size_t digit = 0; digit < mask.size(); ++digit) {
      const std::size_t value =
          std::string_view("0123456789abcdef").find(lower(mask.substr(mask.size() - 1 - digit, 1)));
      for (int bit = 0; value != std::string_view::npos && bit < 4; ++bit)
        if ((value >> bit & 1) != 0) cpus.insert(4 * static_cast<int>(digit) + bit);
    }
  }
  return cpus;
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
        "and live state them{})",
        placement.topology, knows_nodes(placement) ? "; map --emit puts ranks on hosts" : "");
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

std::vector<int> cpus_of_job(const std::vector<int>& permitted, const std::vector<int>& own,
                             const Inherited& environment) {
  const std::optional<std::int64_t> count = least_cpus_of_job(environment);
  if (!count || *count >= static_cast<std::int64_t>(permitted.size())) return permitted;
  const bool masks = environment("SLURM_CPU_BIND_TYPE").value_or("").starts_with("mask_cpu");
  const std::set<int> bound = cpus_in_masks(masks ? environment("SLURM_CPU_BIND_LIST").value_or("") : "");
  return bound.empty() ? own : std::vector<int>(bound.begin(), bound.end());
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
  const std::vector<int> permitted = permitted_cpus();
  const std::vector<int> of_job = cpus_of_job(permitted, allowed_cpus(), environment);
  if (const std::string lack = lack_of_cpus(placement, node, of_job); !lack.empty())
    return say(lack + (of_job.size() < permitted.size() ? kAsBound : ""));
  const std::vector<int> wanted = cpus_in_list(target.cpus);
  if (std::ranges::includes(wanted, allowed_cpus())) return true;
  try {
    bind_to_cpus(wanted);
    return true;
  } catch (const Error& error) {
    return say(error.diagnostics().front().what);
  }
}

bool is_far_from_gpu(const RankTarget& target) {
  if (!target.gpu) return false;
  const std::vector<int> near = cpus_near(target);
  return !near.empty() && !share_one(near, allowed_cpus()) && share_one(near, permitted_cpus());
}

Variables binding_variables(const Inherited& environment) {
  Variables variables;
  for (const char* name : {"MV2_ENABLE_AFFINITY", "MVP_ENABLE_AFFINITY"}) {
    if (!environment(name)) variables.emplace_back(name, "0");
  }
  return variables;
}

}  // namespace topowise::job
