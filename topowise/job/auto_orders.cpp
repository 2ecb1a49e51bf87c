// SPDX-License-Identifier: BSD-3-Clause
// Only the first process of each node reads the profile and the machine, and runs the mapper for the ranks of its node.
// Nodes need not talk to each other, because the launcher has already decided which rank is on which node.
#include <topowise/job/auto_orders.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/input.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/base/write_target.hpp>
#include <topowise/device/nvml.hpp>
#include <topowise/graph/pci_address.hpp>
#include <topowise/job/meeting/rendezvous.hpp>
#include <topowise/job/node_meeting.hpp>
#include <topowise/job/profile_store.hpp>
#include <topowise/launch/job_name.hpp>
#include <topowise/topology_source/source.hpp>
#include <topowise/topology_source/this_machine.hpp>
#include <topowise/traffic_source/recorded/summary.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::job {
namespace {

/// A GPU of this machine that someone else is using.
struct BusyGpu {
  std::string bus_id;  ///< "0000:0a:00.0"
  std::string why;     ///< "2 processes, 10.0 GiB in use"
};

struct BusyGpus {
  std::vector<BusyGpu> gpus;
  std::string reason;  ///< why nothing can be said; empty if it can
};

/// Drivers of idle GPUs keep some hundred MiB for themselves.
constexpr std::uint64_t kIdleMemory = std::uint64_t{1} << 30;

std::string why_busy(const nvml::Gpu& gpu) {
  const std::string memory = fmt::format("{:.1f} GiB in use", static_cast<double>(gpu.memory_used) / (1 << 30));
  if (gpu.processes > 0) return fmt::format("{} process{}, {}", gpu.processes, gpu.processes == 1 ? "" : "es", memory);
  return gpu.memory_used > kIdleMemory ? memory : std::string();
}

/// The busy GPUs in an answer of NVML that is already there.
BusyGpus busy_gpus(const nvml::Report& report) {
  BusyGpus busy;
  for (const nvml::Gpu& gpu : report.gpus) {
    const std::string why = why_busy(gpu);
    const std::optional<PciAddress> address = PciAddress::parse(gpu.bus_id);
    if (!why.empty()) busy.gpus.push_back({address ? address->to_string() : gpu.bus_id, why});
  }
  return busy;
}

/// Asks NVML for the GPUs on which processes compute, or which have more memory in use than an idle driver takes. A
/// container hides the processes of others, but not their memory. Must be called before the job's own ranks use a GPU.
BusyGpus busy_gpus() try { return busy_gpus(nvml::ask()); } catch (const Error& error) {
  return {{}, error.diagnostics().front().what};
}

namespace fs = std::filesystem;

std::string first_words(const Error& error) {
  const Diagnostic& first = error.diagnostics().front();
  return first.where.empty() ? first.what : fmt::format("{}: {}", first.where, first.what);
}

/// What the ranks send, and where this run is recorded for the next run.
struct KnownTraffic {
  std::optional<Traffic> traffic;
  std::string source;       ///< for the user: where the traffic is from, or why there is none
  std::string record_into;  ///< empty: this run is not recorded
};

/// The profile of this program: that of --profile, or its folder in the store. Nothing if there is no store.
std::optional<StoredProfile> profile_place(const AutoOptions& options, std::size_t size) {
  if (options.profile) return StoredProfile{fs::absolute(*options.profile).string(), {}};
  const std::optional<std::string> store = store_folder(environment);
  if (!store) return std::nullopt;
  const std::string program = program_of(options.command, environment("PATH").value_or(""));
  const bool named = !environment("TOPOWISE_PROFILES").value_or("").empty();
  return open_stored_profile(fs::absolute(*store).string(), program, size, named);
}

/// Whether there is a profile. One of this same job means that the ranks of another node are already recording.
bool is_profile(const std::string& place, bool own_store, std::uint64_t job) {
  std::error_code failure;
  if (!own_store && fs::is_regular_file(place, failure)) return true;
  const std::optional<ProfileSummary> summary = summarize_profile(place);
  return summary && summary->job != job && (summary->complete() || !own_store);
}

/// Makes a folder; why that failed, or empty.
std::string why_no_folder(const std::string& folder) {
  try {
    make_folders(folder);
    return {};
  } catch (const Error& error) {
    return error.diagnostics().front().what;
  }
}

/// Ends the reading of a profile when the other ranks of the node no longer wait for what process 0 decides. They came
/// before it began, and wait twice the timeout.
ReadProgress until_others_give_up(Seconds timeout, std::size_t ranks) {
  if (ranks == 1) return {};
  constexpr double kLongest = 1e9;  // seconds
  const double seconds = std::min(2 * timeout.value(), kLongest);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  return [seconds, end](const std::string& where, std::size_t, std::size_t) {
    if (std::chrono::steady_clock::now() >= end)
      throw not_available(
          fmt::format("'{}' was not read in the {:.3g} s for which the other ranks wait", where, seconds));
  };
}

KnownTraffic known_traffic(const AutoOptions& options, std::size_t size, std::uint64_t job, const Notices& notices,
                           const ReadProgress& progress) {
  const std::optional<StoredProfile> found = profile_place(options, size);
  if (!found) return {std::nullopt, "no folder for profiles is known (TOPOWISE_PROFILES)", {}};
  const std::string& place = found->path;
  std::string why_not = found->why_not;
  if (!why_not.empty() || !is_profile(place, !options.profile, job)) {
    std::error_code failure;
    if (options.profile)
      why_not = fs::exists(place, failure) && !fs::is_directory(place, failure)
                    ? fmt::format("'{}' is no folder", place)
                    : why_no_folder(fs::path(place).parent_path().string());
    if (why_not.empty())
      return {std::nullopt, fmt::format("no profile yet, calls of MPI and NCCL are recorded into '{}'", place), place};
    return {std::nullopt, fmt::format("no profile yet, and this run is not recorded: {}", why_not), {}};
  }
  TrafficReading reading = read_gpu_traffic(place, progress);  // only this traffic crosses the links of the GPUs
  for (const Diagnostic& warning : reading.warnings) notices.diagnostic(warning);
  if (reading.traffic.ranks() != size)
    return {std::nullopt, fmt::format("'{}' is of {} ranks, not {}", place, reading.traffic.ranks(), size), {}};
  return {std::move(reading.traffic), fmt::format("'{}'", place), {}};
}

/// Asks the batch system, once for the node, which GPUs the job has, where ranks know only how many.
void complete_shares(const Topology& machine, std::vector<RankReport>& reports) {
  std::optional<JobShare> asked;
  for (RankReport& report : reports) {
    if (!report.share.lists.empty() || !report.share.count || report.share.count->gpus >= machine.place_count())
      continue;
    if (!asked) asked = job_share(this_witness(), ShareOf::job);
    report.share.lists = asked->lists;
  }
}

/// "36.3 % less predicted time than in the default order, proven the least by the congestion model"
std::string gain_of(const MappingResult& found) {
  const bool by_time = found.objective == to_string(Objective::predicted_time);
  return fmt::format("{:.1f} % less {} than in the default order{}{}", 100 * found.gain(),
                     by_time ? "predicted time" : found.objective, found.proven_optimal ? ", proven the least" : "",
                     found.proven_optimal && by_time ? " by the congestion model" : "");
}

std::map<std::string, std::vector<std::string>> partitions_of(const nvml::Report& report) {
  std::map<std::string, std::vector<std::string>> partitions;
  for (const nvml::Gpu& gpu : report.gpus) {
    const std::optional<PciAddress> address = PciAddress::parse(gpu.bus_id);
    if (address && !gpu.mig_ids.empty()) partitions[address->to_string()] = gpu.mig_ids;
  }
  return partitions;
}

class FirstOfNode {
 public:
  FirstOfNode(const AutoOptions& options, const Process& process, std::uint64_t job, const Notices& notices)
      : options_(options), process_(process), job_(job), notices_(notices) {}

  std::vector<std::string> decide(const std::vector<std::string>& texts) {
    std::vector<RankReport> reports;
    for (const std::string& text : texts) reports.push_back(report_from_text(text));
    try {
      known_ =
          known_traffic(options_, *process_.size, job_, notices_, until_others_give_up(options_.timeout, texts.size()));
    } catch (const Error& error) {
      known_.source = first_words(error);
    }
    try {
      const Machine here = machine();
      complete_shares(here.topology, reports);
      plan_ = plan_on(here, known_, reports);
    } catch (const Error& error) {
      plan_.emplace();
      plan_->orders.resize(reports.size());
      plan_->problems.push_back(first_words(error));
    }
    std::vector<std::string> answers;
    for (RankOrders& orders : plan_->orders) {
      orders.record_into = known_.record_into;
      answers.push_back(to_text(orders));
    }
    return answers;
  }

  /// Prints what was decided, once it is certain that all ranks of the node do that.
  void tell() const {
    if (plan_) tell(*plan_, known_);
  }

 private:
  struct Machine {
    Topology topology;
    BusyGpus busy;
    std::map<std::string, std::vector<std::string>> partitions;  ///< as in NodePlanOptions
    std::string limits;  ///< limits of what is known about the machine; empty if there are none
  };

  /// Asks the management library only once, even where it gives the topology and the busy GPUs.
  [[nodiscard]] Machine machine() const {
    if (options_.topology != kLive && options_.topology != kLiveNode)
      return {read_topology(options_.topology), busy_gpus(), {}, {}};
    LiveTopology live = read_live();
    if (!live.nvml) return {std::move(live.topology), {{}, live.limits}, {}, live.limits};
    return {std::move(live.topology), busy_gpus(*live.nvml), partitions_of(*live.nvml), live.limits};
  }

  [[nodiscard]] NodePlan plan_on(const Machine& machine, const KnownTraffic& known,
                                 const std::vector<RankReport>& reports) const {
    NodePlanOptions options{.binding = options_.gpu_binding,
                            .mapping = options_.mapping,
                            .bind_nics = options_.bind_nics,
                            .host = host_name()};
    options.partitions = machine.partitions;
    std::vector<std::string> problems;
    if (!machine.limits.empty()) problems.push_back(machine.limits);
    for (const BusyGpu& gpu : machine.busy.gpus) {
      problems.push_back(fmt::format("{} is busy ({}){}", gpu.bus_id, gpu.why,
                                     options_.avoid_busy ? "" : ": --avoid-busy leaves it out"));
      if (options_.avoid_busy) options.busy.insert(gpu.bus_id);
    }
    if (options_.avoid_busy && !machine.busy.reason.empty())
      problems.push_back(fmt::format("which GPUs are busy is not known: {}", machine.busy.reason));
    NodePlan plan = plan_node(machine.topology, known.traffic, reports, options);
    plan.problems.insert(plan.problems.begin(), problems.begin(), problems.end());
    return plan;
  }

  /// Prints one line per node about what is odd, and one line for the job about what was done.
  void tell(const NodePlan& plan, const KnownTraffic& known) const {
    const bool several_nodes = *process_.local_size < *process_.size;
    const std::string where = several_nodes ? fmt::format(" on {}", host_name()) : "";
    if (!plan.problems.empty())
      notices_.warn(fmt::format("auto{}: {}{}", where, fmt::join(plan.problems, "; "),
                                plan.found ? "" : ": no rank of this node is mapped"));
    if (process_.rank != 0) return;
    if (!plan.found) {
      if (!known.traffic) notices_.note(fmt::format("auto: {}", known.source));
      return;
    }
    const MappingResult& found = *plan.found;
    const std::string mapped = several_nodes
                                   ? fmt::format("{} of {}", plan.mapped_ranks, counted(*process_.size, "rank"))
                                   : counted(plan.mapped_ranks, "rank");
    const std::string gpus = counted(plan.gpus, "GPU");
    const std::string of_job = plan.share.empty() ? "" : fmt::format(" of the job ({})", plan.share);
    const std::string ranks = fmt::format("{} on {}{}", mapped, gpus, of_job);
    if (!known.traffic)
      return notices_.note(fmt::format("auto{}: {} by the topology alone: {}", where, ranks, known.source));
    notices_.note(fmt::format("auto{}: {} by {}: {}, found in {:.0f} ms", where, ranks, known.source, gain_of(found),
                              found.seconds.value() * 1000));
  }

  const AutoOptions& options_;
  const Process& process_;
  std::uint64_t job_;
  const Notices& notices_;
  KnownTraffic known_;
  std::optional<NodePlan> plan_;  ///< none: another process decides, or nobody does
};

RankReport report_of(const Process& process) {
  RankReport report{process.rank, {}, job_share(environment_witness(), ShareOf::process)};
  for (const std::string& name : reported_variables()) {
    if (const std::optional<std::string> value = environment(name)) report.variables.emplace(name, *value);
  }
  return report;
}

}  // namespace

RankOrders auto_orders(const AutoOptions& options, const Process& process, const Notices& notices) {
  try {
    const std::string job = job_of(process);
    const Meeting meeting = node_meeting(process, job, "orders", options.timeout);
    FirstOfNode first(options, process, job_key(job, static_cast<int>(*process.size)), notices);
    const std::string orders = meet(meeting, to_text(report_of(process)),
                                    [&](const std::vector<std::string>& reports) { return first.decide(reports); });
    first.tell();
    return orders_from_text(orders);
  } catch (const Error& error) {
    notices.warn(fmt::format("auto: rank {}: {}: no rank of this node is mapped", process.rank, first_words(error)));
    return {};
  }
}

}  // namespace topowise::job
