// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/start.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/plural.hpp>
#include <topowise/device/table.hpp>
#include <topowise/job/abort_job.hpp>
#include <topowise/job/cpu_binding.hpp>
#include <topowise/job/gpu_share.hpp>
#include <topowise/job/memory_sharing.hpp>
#include <topowise/job/parent.hpp>
#include <topowise/job/preload.hpp>
#include <topowise/job/program_file.hpp>
#include <topowise/job/rank_setup.hpp>
#include <topowise/job/recording_witness.hpp>
#include <topowise/job/verify.hpp>
#include <topowise/launch/allreduce_variables.hpp>
#include <topowise/launch/gpu_vendor.hpp>
#include <topowise/launch/launcher.hpp>
#include <topowise/launch/nics.hpp>
#include <topowise/launch/reorder_variables.hpp>

namespace topowise::job {
namespace {

/// True if the rank is bound.
bool bind_near_gpu(const RankTarget& target, const Notices& notices) {
  const std::vector<int> cpus = cpus_near(target);
  if (cpus.empty())
    notices.warn(
        fmt::format("rank {}: the processors near {} are not known, so it is not bound", target.rank, target.place));
  else
    bind_to_cpus(cpus);
  return !cpus.empty();
}

/// `placement` is null where each node maps for itself.
void prepare(const RankTarget& target, const Placement* placement, const StartOptions& options,
             const Notices& notices) {
  for (const auto& [name, value] : target.variables) {
    set_variable(name, value);
    if (name == kGpuVariable) preload_interpose_library();
  }
  if (options.cpu_binding == CpuBinding::none) return;
  const bool near_gpu = target.gpu && options.cpu_binding == CpuBinding::numa;
  const bool bound =
      near_gpu ? bind_near_gpu(target, notices) : placement != nullptr && bind_to_place(target, *placement, notices);
  if (!bound) return;
  for (const auto& [name, value] : binding_variables(environment)) set_variable(name, value);
}

/// What the first rank of the job notes about processors.
void note_processors(const RankTarget& target, const Placement& placement, const Topology& topology,
                     const StartOptions& options, const Notices& notices) {
  const std::string lack = what_is_not_bound(placement, topology, options.cpu_binding);
  if (!lack.empty()) notices.warn(lack);
  if (!binds_cpus(options.cpu_binding, target)) return;
  const std::string threads = threads_without_processors(target, environment);
  if (!threads.empty()) notices.warn(threads);
}

/// Opens the driver in the program's environment, and warns if the ranks of the node cannot share GPU memory. The job
/// goes on then, because programs and MPI libraries copy through host memory.
std::optional<device::Driver> open_and_try_sharing(const RankTarget& target, const StartOptions& options,
                                                   const Process& process, const Notices& notices) {
  std::string reason;
  std::optional<device::Driver> driver = target.gpu ? device::find_driver(reason) : std::nullopt;
  const std::optional<int> device = driver ? device_of(target, options.gpu_binding, *driver) : std::nullopt;
  static const std::optional<device::Driver> kNone;
  try_sharing(device ? driver : kNone, device.value_or(0), process, options.timeout, notices);
  return driver;
}

/// Makes the preloaded library compare the GPU when MPI ends: a program may choose in another way than by its local
/// rank.
void verify_at_end(const RankTarget& target) {
  const std::string name = name_at_end(target, environment);
  if (name.empty()) return;
  set_variable(kVerifiedGpuVariable, name);
  try {
    preload_interpose_library();
  } catch (const Error&) {
    return;  // there is no library: what the driver states now is all
  }
}

/// How the launcher of this job is made to start ranks on the hosts of a mapping, as `map --emit` explains it.
std::string hint_to_place(const RankTarget& target, const Process& process) {
  if (target.host.empty())
    return "start the ranks of a node on one host (srun -N 1), or map to the hosts of the job: "
           "cluster:FABRIC,NODE,hosts=job";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kFiles{{{"Slurm", "slurm-hostfile"},
                                                                                 {"Open MPI", "openmpi-rankfile"},
                                                                                 {"hydra", "mpich-hostfile"},
                                                                                 {"Flux", "flux-taskmap"},
                                                                                 {"PALS", "cray-rank-order"}}};
  const auto* const found =
      std::ranges::find(kFiles, process.launcher, &std::pair<std::string_view, std::string_view>::first);
  if (found == kFiles.end()) return "start every rank on the host of its place";
  return fmt::format("topowise map ... --emit {} > FILE, then {}", found->second, launcher_named(found->second).use);
}

/// `device` is the comparison of the device, if a GPU was chosen; `ranks` that of the ranks that share this host.
bool verify(const RankTarget& target, const std::optional<Expectation>& device, const std::optional<Expectation>& ranks,
            const StartOptions& options, const Process& process, const Notices& notices) {
  verify_at_end(target);
  std::vector<Expectation> all = surroundings(target, binds_cpus(options.cpu_binding, target));
  if (device) all.insert(all.begin() + (target.host.empty() ? 0 : 1), *device);
  for (Expectation& expectation : all) {
    if (expectation.what != "device" && !expectation.by_lists) continue;
    expectation.far = is_far_from_gpu(target);
    if (environment(kGpuVariable) && !expectation.by_lists) expectation.what = "device at MPI_Init";
  }
  if (ranks) all.push_back(*ranks);
  const bool elsewhere = std::ranges::any_of(all, [](const Expectation& each) {
    return !each.met && (each.what == "host" || each.what == "ranks of the node");
  });
  if (elsewhere && target.local_rank == 0)
    notices.diagnostic({{}, {}, "the ranks are not on the hosts of the mapping", {}, hint_to_place(target, process)});
  if (verify_node(all, process, options.timeout, notices)) return true;
  const bool own = std::ranges::all_of(all, &Expectation::met);
  if (!own) abort_job();
  return false;
}

void choose_nic(RankTarget& target, const Placement& placement, const MappedMachine& machine, const Notices& notices) {
  const PlacedRank& placed = placement.ranks[target.rank];
  const std::vector<std::optional<std::string>> nics =
      nics_of_node(placement, placed.node, machine.mapping, machine.topology);
  const std::optional<std::string>& nic = nics[placed.local_rank];
  if (!nic) {
    if (placed.local_rank == 0)
      notices.warn(fmt::format("'{}' names no NIC near {}: MPI chooses", placement.topology, placed.place));
    return;
  }
  const std::vector<std::string> near = nics_near_node(placement, placed.node, machine.mapping, machine.topology);
  const Variables variables = nic_environment(nics, near, placed.local_rank, environment);
  target.nics = nics_in_use(variables, *nic, near);
  target.variables.insert(target.variables.end(), variables.begin(), variables.end());
}

RankTarget target_of(const RankOrders& orders, const Process& process) {
  RankTarget target{.rank = process.rank,
                    .local_rank = process.local_rank.value_or(0),
                    .nics = orders.nics,
                    .variables = orders.variables};
  if (!orders.gpu) return target;
  target.gpu = orders.gpu;
  target.place = orders.gpu->name;
  target.cpus = orders.gpu->cpus;
  return target;
}

/// The device on a machine without bus ids, such as a preset: it is compared by the order of the GPUs, as in the lists
/// of visible GPUs.
Expectation device_by_order(const RankOrders& orders, const RankTarget& target) {
  PlacedNode node;
  for (const std::string& name : orders.among)
    node.gpus.push_back({.name = name,
                         .pci = {},
                         .uuid = {},
                         .cpus = {},
                         .number = number_in_name(name).value_or(-1),
                         .vendor = target.gpu->vendor});
  return listed_device(node, orders.number, target.local_rank, environment);
}

/// Warns if the ranks do not seem to run where the mapping puts them: in the first rank of each host, and in the first
/// rank of each node of the mapping.
void warn_of_hosts(const std::string& mapping, const Placement& placement, const RankTarget& target,
                   const Process& process, const Notices& notices) {
  if (!knows_nodes(placement)) return;
  const std::vector<std::size_t> mapped = placement.ranks_by_node()[placement.ranks[process.rank].node];
  const bool first_here = process.local_rank.value_or(process.rank) == 0;
  const std::string sign = sign_of_another_machine(target, host_name());
  if (!sign.empty() && (first_here || process.rank == mapped.front())) {
    const bool host = !target.host.empty() && !is_same_host(target.host, host_name());
    return notices.diagnostic({{},
                               {},
                               fmt::format("'{}' seems to be made for another machine: {}", mapping, sign),
                               {},
                               host ? hint_to_place(target, process) : std::string()});
  }
  if (!first_here || !process.local_size || *process.local_size == mapped.size()) return;
  notices.diagnostic({{},
                      {},
                      fmt::format("'{}' puts {} on one node, but {} runs {} of this job", mapping,
                                  counted(mapped.size(), "rank"), host_name(), counted(*process.local_size, "rank")),
                      {},
                      hint_to_place(target, process)});
}

/// What may be meant by a command that does not start.
std::string hint_to_start(const std::string& command) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const bool by_path = command.find('/') == std::string::npos;
  const std::string file = by_path ? "./" + command : command;
  if (!fs::is_regular_file(file, failure)) return {};
  if (::access(file.c_str(), X_OK) != 0) return fmt::format("chmod +x {}", file);
  return by_path ? fmt::format("{} is in this folder, which PATH does not name", file) : std::string();
}

}  // namespace

void record_into(const std::string& directory, bool trace) {
  preload_interpose_library();
  // NCCL and RCCL report to their profiler plugin what they do. If they already have another plugin, the preloaded
  // functions record.
  if (!environment(kNcclPlugin)) set_variable(kNcclPlugin, kPreloadedPlugin);
  set_variable("TOPOWISE_PROFILE", std::filesystem::absolute(directory).string());
  if (trace) set_variable("TOPOWISE_TRACE", "1");
}

void report_recording(const std::string& directory, const Process& process) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(directory, error);
  if (process.rank == 0 && !error) watch_recording(whole.string());
  set_variable("TOPOWISE_PROFILE_PROCESS", std::to_string(::getpid()));
}

void fit_preloading(const std::vector<std::string>& command, const Process& process, const Notices& notices) {
  std::vector<std::string_view> lost;
  constexpr std::array<std::pair<const char*, std::string_view>, 5> kFeatures{
      {{"TOPOWISE_PROFILE", "recorded"},
       {kGpuVariable, "bound to a GPU"},
       {kVerifiedGpuVariable, "verified when MPI ends"},
       {kReorderVariable, "reordered"},
       {kAllreduceVariable, "reduced on GPUs"}}};
  for (const auto& [variable, word] : kFeatures)
    if (environment(variable)) lost.push_back(word);
  if (lost.empty()) return;
  const ProgramFile program = program_file(command.front());
  if (program.loader == Loader::musl) drop_interpose_library();
  if (process.rank != 0) return;
  const std::string nothing = fmt::format("nothing will be {}", fmt::join(lost, " or "));
  if (program.loader == Loader::none)
    notices.note(fmt::format("{}: '{}' is linked statically, so the recording library cannot be loaded into it",
                             nothing, command.front()));
  else if (program.loader == Loader::musl)
    notices.note(fmt::format(
        "{}: '{}'{} is linked against musl, so the recording library, which needs glibc, cannot be loaded into it",
        nothing, program.interpreter.empty() ? command.front() : program.interpreter,
        program.interpreter.empty() ? "" : fmt::format(", which runs '{}',", command.front())));
  else if (std::ranges::any_of(program.libraries, is_address_sanitizer))
    notices.note(fmt::format("'{}' is built with AddressSanitizer: it starts with ASAN_OPTIONS={}", command.front(),
                             environment("ASAN_OPTIONS").value_or("")));
}

bool start_mapped(const std::string& mapping, const StartOptions& options, const Process& started,
                  const Notices& notices) {
  std::error_code ignored;
  if (started.size.value_or(1) > 1 && std::filesystem::is_fifo(mapping, ignored))
    throw bad_input(fmt::format("'{}' is a pipe, and every rank reads it", mapping), "write it to a file before");
  const MappedMachine machine = read_mapped_machine(mapping);
  const Placement placement = place_ranks(machine.mapping, machine.topology);
  // No host has a name that topowise made up.
  const NodeMatch match = machine.topology.invents_hosts() ? NodeMatch::order : options.match_nodes;
  if (const std::optional<std::size_t> node = node_of_parent(placement, started, match, host_name());
      node && options.gpu_binding == GpuBinding::permute) {
    if (options.verify) notices.warn("one process makes the workers, so --verify has nothing to compare yet");
    arrange_workers(placement, *node, notices);
    return true;
  }
  check_job(placement, started);
  const Process process = renumbered(placement, started, match, host_name());
  for (const auto& [name, value] : rank_variables(started, process, environment)) set_variable(name, value);
  const PlacedRank& placed = placement.ranks[process.rank];
  if (const std::string why = placed.gpu ? why_no_variable(placement.nodes[placed.node].gpus[*placed.gpu]) : "";
      !why.empty() && process.rank == 0)
    notices.warn(fmt::format("{}: none is set", why));
  Inherited inherited = environment;
  if (placed.gpu && options.gpu_binding != GpuBinding::none) {
    const bool first = process.local_rank.value_or(process.rank) == 0;
    inherited = within_share(placement.nodes[placed.node],
                             require_share(placement, process.rank, first, this_witness(), notices), environment);
  }
  RankTarget target = target_of(placement, process, options.gpu_binding, inherited);
  if (process.rank == 0) note_processors(target, placement, machine.topology, options, notices);
  if (options.bind_nics) choose_nic(target, placement, machine, notices);
  if (match == NodeMatch::order) target.host.clear();  // the job names its nodes differently
  if (!options.verify) warn_of_hosts(mapping, placement, target, process, notices);
  prepare(target, &placement, options, notices);
  if (!options.verify) return true;
  const std::optional<device::Driver> driver = open_and_try_sharing(target, options, process, notices);
  std::optional<Expectation> device = driven_device(target, options.gpu_binding, driver);
  if (!device && placed.gpu)
    device = listed_device(placement.nodes[placed.node], *placed.gpu, target.local_rank, environment);
  std::optional<Expectation> ranks;
  if (!knows_nodes(placement)) return verify(target, device, ranks, options, process, notices);
  if (const auto here = ranks_here(process, options.timeout)) ranks = ranks_of_node(placement, process.rank, *here);
  return verify(target, device, ranks, options, process, notices);
}

bool start_auto(const AutoOptions& choice, const StartOptions& options, const Process& process,
                const Notices& notices) {
  const RankOrders orders = auto_orders(choice, process, notices);
  const RankTarget target = target_of(orders, process);
  try {
    if (!orders.record_into.empty()) record_into(orders.record_into, options.trace);
    if (target.gpu) prepare(target, nullptr, options, notices);
  } catch (const Error& error) {
    if (target.local_rank == 0) notices.diagnostic(error.diagnostics().front());  // the node's ranks share the reason
  }
  if (!orders.record_into.empty()) report_recording(orders.record_into, process);
  if (!options.verify) return true;
  const std::optional<device::Driver> driver = open_and_try_sharing(target, options, process, notices);
  if (!target.gpu) return verify_node({}, process, options.timeout, notices);
  std::optional<Expectation> device = driven_device(target, options.gpu_binding, driver);
  if (!device && orders.number < orders.among.size()) device = device_by_order(orders, target);
  if (!device) device = Expectation{"device", target.place, "not known (no driver shows one)", false};
  return verify(target, device, std::nullopt, options, process, notices);
}

void reduce_on_gpus(const OnGpuOptions& options) {
  preload_interpose_library();
  set_variable(kAllreduceVariable, options.algorithm);
  set_variable(kCollectivesVariable, options.functions);
  if (options.meet_at_start) set_variable(kAllreduceInitVariable, "start");
  if (options.report) set_variable(kAllreduceReportVariable, "1");
}

void become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  const int error = errno;
  throw not_available(fmt::format("cannot start '{}': {}", command.front(), std::strerror(error)),
                      hint_to_start(command.front()));
}

}  // namespace topowise::job
