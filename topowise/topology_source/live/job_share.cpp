// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/live/job_share.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include <topowise/base/host_names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/gpu_vendor.hpp>
#include <topowise/topology_source/merge/place_subset.hpp>

namespace topowise {
namespace {

/// A process with one of these may be one of several on its node, and its lists may be its own.
constexpr std::array kLocalRanks{"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",    "MV2_COMM_WORLD_LOCAL_RANK",
                                 "PALS_LOCAL_RANKID",          "FLUX_TASK_LOCAL_ID", "LOCAL_RANK"};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 6 && std::ranges::all_of(text, is_digit);
}

/// The number at the end of "gpu3", "GPU3", "n01-gpu3" or "3"; nothing for other names.
std::optional<std::string> number_of(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const std::string_view number = name.substr(digits);
  const std::string before = lower(name.substr(0, digits));
  if (!is_number(number) || !(before.empty() || before.ends_with("gpu"))) return std::nullopt;
  return std::to_string(*parse_integer(number));
}

/// Entries of a list that name GPUs. Nothing if one is of another kind, as a part of a GPU (MIG) is, or if there is
/// none.
std::optional<std::vector<std::string>> gpus_in(std::string_view list, char separator) {
  std::vector<std::string> gpus;
  for (const std::string_view part : split(list, separator)) {
    const std::string_view name = trim(part);
    if (name.empty()) continue;
    const std::optional<std::string> number = number_of(name);
    if (!number && !name.starts_with("GPU-")) return std::nullopt;
    gpus.push_back(number ? *number : std::string(name));
  }
  return gpus.empty() ? std::nullopt : std::optional(std::move(gpus));
}

/// Whether a list of visible GPUs is one that leaves none.
bool hides_all(std::string_view list) {
  constexpr std::array kNone{"", "-1", "nodevfiles", "none", "void"};
  return std::ranges::find(kNone, lower(trim(list))) != kNone.end();
}

class Collector {
 public:
  explicit Collector(const JobWitness& witness) : witness_(witness) {}

  [[nodiscard]] std::string value(const std::string& variable) const { return witness_.value(variable); }

  void list(std::string source, std::optional<std::vector<std::string>> gpus) {
    if (gpus) share_.lists.push_back({std::move(source), std::move(*gpus)});
  }
  void list(const std::string& variable, char separator = ',') { list(variable, gpus_in(value(variable), separator)); }
  void visible(const std::string& variable) { hides_all(value(variable)) ? least(variable, 0) : list(variable); }

  void count(const char* variable) {
    const std::string text = value(variable);
    if (is_number(text)) least(variable, static_cast<std::size_t>(*parse_integer(text)));
  }
  void least(const std::string& source, std::size_t gpus) {
    if (!share_.count || gpus < share_.count->gpus) share_.count = JobShare::Count{source, gpus};
  }

  /// PBS (Torque): lines "n01-gpu3" of all hosts of the job.
  void gpu_file() {
    const std::string name = value("PBS_GPUFILE");
    const std::optional<std::string> read = witness_.file(name);
    const std::string text = read.value_or(std::string());
    if (!read && !name.empty())
      share_.unread = fmt::format("PBS_GPUFILE='{}' cannot be read: it does not say which GPUs are the job's", name);
    std::string own;
    for (const std::string_view line : split(text, '\n')) {
      const std::size_t dash = trim(line).rfind('-');
      if (dash != std::string_view::npos && is_same_host(trim(line).substr(0, dash), witness_.host))
        own.append(trim(line).substr(dash + 1)).append(",");
    }
    list("PBS_GPUFILE", gpus_in(own, ','));
  }

  /// Slurm's lists and its count.
  void slurm(bool of_process) {
    if (of_process) list("SLURM_STEP_GPUS");
    count("SLURM_GPUS_ON_NODE");
    // mpiexec of MPICH gives ranks on other nodes the environment of the batch script, the name of its node included.
    const std::string hosts = value("SLURM_JOB_NODELIST");
    const bool known = !hosts.empty() && names_host(hosts, witness_.host);
    const std::string node = known ? witness_.host : value("SLURMD_NODENAME");
    const bool batch_host = node.empty() || hosts.empty() || names_host(hosts, node, true);
    if (batch_host) list("SLURM_JOB_GPUS");
    if (!share_.lists.empty() || slurm_gpu_request(witness_).empty()) return;
    for (SlurmGpus& gpus : ask_slurm(witness_)) {
      if (names_host(gpus.nodes, node.empty() ? witness_.host : node))
        list(std::string(kAskSlurm), std::move(gpus.gpus));
    }
  }

  [[nodiscard]] JobShare finish() && { return std::move(share_); }

 private:
  const JobWitness& witness_;
  JobShare share_;
};

/// The positions that a list means, ascending. Nothing if its numbers are those of other GPUs than these.
std::optional<std::vector<std::size_t>> positions_of(const JobShare::List& list, std::span<const ShareGpu> gpus) {
  std::vector<std::size_t> positions;
  if (std::ranges::all_of(list.gpus, is_number) && list.gpus.size() >= gpus.size()) {
    positions.resize(gpus.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    return positions;
  }
  for (const std::string& name : list.gpus) {
    const auto is_named = [&](const ShareGpu& gpu) {
      return is_number(name) ? std::to_string(gpu.number) == name
                             : !gpu.uuid.empty() && lower(gpu.uuid).starts_with(lower(name));
    };
    const auto found = std::ranges::find_if(gpus, is_named);
    if (found == gpus.end()) return std::nullopt;
    positions.push_back(static_cast<std::size_t>(found - gpus.begin()));
  }
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

void add_source(ShareOnNode& found, const std::string& source) {
  found.sources += (found.sources.empty() ? "" : ", ") + source;
}

}  // namespace

JobShare job_share(const JobWitness& witness, ShareOf of) {
  Collector share(witness);
  // A batch script, and a step of one task on this node, have the lists of all that the job may use here.
  const std::string tasks = share.value("SLURM_STEP_TASKS_PER_NODE");
  const bool alone = (share.value("SLURM_STEP_ID").empty() || tasks == "1" || tasks.starts_with("1(x")) &&
                     std::ranges::all_of(kLocalRanks, [&](const char* name) { return share.value(name).empty(); });
  if (of == ShareOf::job && alone) {
    std::vector<std::string> visible = visible_devices_variables();
    std::erase(visible, visible_devices_of(GpuVendor::intel));  // its numbers may be those of tiles
    std::erase_if(visible, [&](const std::string& name) { return !witness.variable(name); });
    const auto set = std::ranges::find_if_not(visible, hides_all, [&](const auto& name) { return share.value(name); });
    if (!visible.empty()) share.visible(set != visible.end() ? *set : visible.front());
  }
  share.slurm(of == ShareOf::process || alone);
  share.gpu_file();
  share.list("SGE_HGR_gpu", ' ');
  return std::move(share).finish();
}

ShareOnNode share_on_node(const JobShare& share, std::span<const ShareGpu> gpus) {
  ShareOnNode found;
  if (gpus.empty()) return found;
  found.gpus.resize(gpus.size());
  std::iota(found.gpus.begin(), found.gpus.end(), std::size_t{0});
  found.conflict = share.unread;
  std::optional<JobShare::Count> count = share.count;
  for (const JobShare::List& list : share.lists) {
    const std::optional<std::vector<std::size_t>> own = positions_of(list, gpus);
    if (!own) {
      if (!count || list.gpus.size() < count->gpus) count = JobShare::Count{list.source, list.gpus.size()};
      continue;
    }
    std::vector<std::size_t> common;
    std::ranges::set_intersection(found.gpus, *own, std::back_inserter(common));
    if (common.empty()) {
      const bool smaller = own->size() < found.gpus.size();
      found.conflict = fmt::format("{} and {} have no GPU in common, and {} is taken", found.sources, list.source,
                                   smaller ? list.source : found.sources);
      if (smaller) found.gpus = *own;
    } else {
      found.gpus = common;
    }
    add_source(found, list.source);
  }
  if (count && count->gpus < found.gpus.size()) {
    found.fewer = count->gpus;
    add_source(found, count->source);
  }
  return found;
}

Topology limited_to_share(const Topology& machine, const JobShare& share) {
  std::vector<PlaceIdentity> keep;
  std::vector<Place> places;
  for (std::size_t p = 0; p < machine.place_count(); ++p) {
    if (machine.place(Place(p)).kind == PlaceKind::gpu)
      places.emplace_back(p);
    else
      keep.push_back({Place(p), {}, {}});
  }
  std::ranges::stable_sort(places, {}, [&](Place place) { return machine.vertex_of(place).pci; });
  std::vector<ShareGpu> gpus;
  for (const Place place : places) gpus.push_back({gpus.size(), machine.vertex_of(place).uuid});
  const ShareOnNode found = share_on_node(share, gpus);
  std::vector<std::string> warnings;
  if (!found.conflict.empty()) warnings.push_back(found.conflict);
  std::vector<std::string> names;
  for (const std::size_t gpu : found.gpus) {
    keep.push_back({places[gpu], {}, {}});
    names.push_back(machine.vertex_of(places[gpu]).name);
  }
  if (names.size() < places.size())
    warnings.push_back(fmt::format("{} of {} GPUs are this job's ({}): {}; 'live:node' is the whole node", names.size(),
                                   places.size(), found.sources, fmt::join(names, ", ")));
  if (found.fewer == 0U)
    warnings.push_back(fmt::format("this job or step has none of these {} GPUs ({}): no rank of it can run on them",
                                   names.size(), found.sources));
  else if (found.fewer)
    warnings.push_back(fmt::format("this job or step has only {} of these {} GPUs ({}), and nothing says which",
                                   *found.fewer, names.size(), found.sources));
  if (warnings.empty()) return machine;
  std::ranges::sort(keep, {}, &PlaceIdentity::place);
  return with_places(machine, keep, warnings);
}

}  // namespace topowise
