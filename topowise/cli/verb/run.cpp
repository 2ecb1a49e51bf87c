// SPDX-License-Identifier: BSD-3-Clause
// Stands between the launcher and one process of the job: sets the environment and becomes the program.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/device/table.hpp>
#include <topowise/job/abort_job.hpp>
#include <topowise/job/cpu_binding.hpp>
#include <topowise/job/memory_sharing.hpp>
#include <topowise/job/node_meeting.hpp>
#include <topowise/job/preload.hpp>
#include <topowise/job/rank_setup.hpp>
#include <topowise/job/run_auto.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> gpu_bindings() {
  return {"permute", "only", "set-device", "none"};
}
std::vector<std::string> cpu_bindings() {
  return {"numa", "none"};
}

void set(const std::string& name, const std::string& value) {
  ::setenv(name.c_str(), value.c_str(), 1);
}

void preload() {
  set("LD_PRELOAD", preload_list(environment("LD_PRELOAD").value_or(""), find_interpose_library()));
}

void record_into(const std::string& directory, bool trace) {
  if (directory.empty()) throw Arguments::wrong("--profile", "the name of a directory is wanted");
  preload();
  set("TOPOWISE_PROFILE", std::filesystem::absolute(directory).string());
  if (trace) set("TOPOWISE_TRACE", "1");
}

void bind_processors(const RankTarget& target, const Terminal& terminal) {
  const std::vector<int> cpus = cpus_near(target);
  if (cpus.empty()) {
    terminal.warn(
        fmt::format("rank {}: the processors near {} are not known, so it is not bound", target.rank, target.place));
    return;
  }
  bind_to_cpus(cpus);
}

std::optional<device::Driver> open_driver_of(const RankTarget& target) {
  std::string reason;
  return target.gpu ? device::find_driver(reason) : std::nullopt;
}

/// Whether the ranks can share GPU memory: told, and no reason to end, because programs and MPI libraries go by the
/// host then.
void try_sharing_of(const RankTarget& target, const std::optional<device::Driver>& driver, const Arguments& arguments,
                    const JobProcess& process, const Terminal& terminal) {
  const std::optional<int> device =
      driver ? device_of(target, *parse_gpu_binding(arguments.text("--gpu-bind")), *driver) : std::nullopt;
  try_sharing(device ? driver : std::nullopt, device.value_or(0), process, arguments.time("--wait"), terminal);
}

/// One line a rank; false if something is not as expected.
bool verify(const RankTarget& target, const std::optional<Expectation>& device, bool check_cpus,
            const Terminal& terminal) {
  std::vector<Expectation> all = surroundings(target, check_cpus);
  if (device) all.insert(all.begin() + (target.host.empty() ? 0 : 1), *device);
  bool all_met = true;
  std::string line = fmt::format("verify: rank {}", target.rank);
  for (const Expectation& expectation : all) {
    line += expectation.met
                ? fmt::format(", {} {}", expectation.what, expectation.actual)
                : fmt::format(", {} {} instead of {}", expectation.what, expectation.actual, expectation.expected);
    all_met = all_met && expectation.met;
  }
  terminal.note(line + (all_met ? ": as mapped" : ": not as mapped"));
  return all_met;
}

/// No rank of the node becomes the program if one of them is not as mapped: launchers are not good at ending a job
/// whose ranks are on their way into MPI.
bool agree(bool as_mapped, const Arguments& arguments, const JobProcess& process) {
  if (!arguments.has("--verify") || all_of_node(as_mapped, process, arguments.time("--wait"))) return true;
  if (!as_mapped) abort_job();
  return false;
}

RankTarget target_of(const RankOrders& orders, const JobProcess& process) {
  RankTarget target{.rank = process.rank, .local_rank = process.local_rank.value_or(0), .variables = orders.variables};
  if (!orders.gpu) return target;
  target.gpu = orders.gpu;
  target.place = orders.gpu->name;
  target.cpus = orders.gpu->cpus;
  return target;
}

GpuBinding gpu_binding(const Arguments& arguments) {
  return *parse_gpu_binding(arguments.text("--gpu-bind"));
}

void prepare(const Arguments& arguments, const RankTarget& target, const Terminal& terminal) {
  for (const auto& [name, value] : target.variables) {
    set(name, value);
    if (name == kGpuVariable) preload();
  }
  if (arguments.text("--cpu-bind") == "numa") bind_processors(target, terminal);
}

/// Puts the mapping into effect. False if --verify found a difference at this rank.
bool apply_mapping(const Arguments& arguments, const JobProcess& process, const Terminal& terminal) {
  const Placement placement = read_placement(arguments.text("--mapping"));
  check_job(placement, process);
  const PlacedRank& placed = placement.ranks[process.rank];
  if (!placed.gpu && process.rank == 0)
    terminal.warn(fmt::format("the places of '{}' are no GPUs: no GPU is chosen", placement.topology));
  const RankTarget target = target_of(placement, process, gpu_binding(arguments), environment);
  prepare(arguments, target, terminal);
  if (!arguments.has("--verify")) return true;
  const std::optional<device::Driver> driver = open_driver_of(target);
  try_sharing_of(target, driver, arguments, process, terminal);
  std::optional<Expectation> device = driven_device(target, gpu_binding(arguments), driver);
  if (!device && placed.gpu)
    device = listed_device(placement.nodes[placed.node], *placed.gpu, target.local_rank, environment);
  return verify(target, device, arguments.text("--cpu-bind") == "numa", terminal);
}

/// Puts into effect what the ranks of this node agreed on; what cannot be done is told and left. False if --verify
/// found a difference at this rank.
bool apply_auto(const Arguments& arguments, const JobProcess& process, const Terminal& terminal) {
  const RankOrders orders = auto_orders(arguments, process, terminal);
  const RankTarget target = target_of(orders, process);
  try {
    if (!orders.record_into.empty()) record_into(orders.record_into, arguments.has("--trace"));
    if (target.gpu) prepare(arguments, target, terminal);
  } catch (const Error& error) {
    if (target.local_rank == 0) terminal.warn(error.diagnostics().front());  // the node's ranks share the reason
  }
  if (!arguments.has("--verify")) return true;
  const std::optional<device::Driver> driver = open_driver_of(target);
  try_sharing_of(target, driver, arguments, process, terminal);
  if (!target.gpu) return true;
  std::optional<Expectation> device = driven_device(target, gpu_binding(arguments), driver);
  if (!device) device = Expectation{"device", target.place, "one that no driver tells of", false};
  return verify(target, device, arguments.text("--cpu-bind") == "numa", terminal);
}

[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  throw not_available(fmt::format("cannot start '{}': {}", command.front(), std::strerror(errno)));
}

void check_combination(const Arguments& arguments) {
  if (arguments.has("--auto") && arguments.has("--mapping"))
    throw Arguments::wrong("--auto", "the mapping is given already", "leave one of --auto and --mapping away");
  for (const char* option : {"--gpu-bind", "--cpu-bind", "--verify"}) {
    if (arguments.has(option) && !arguments.has("--mapping") && !arguments.has("--auto"))
      throw Arguments::wrong(option, "this needs a mapping",
                             "--mapping FILE, as written by 'topowise map --save FILE', or --auto");
  }
  for (const char* option : {"--topology", "--avoid-busy", "--wait"}) {
    if (arguments.has(option) && !arguments.has("--auto"))
      throw Arguments::wrong(option, "this belongs to --auto", "--auto");
  }
  if (arguments.has("--trace") && !arguments.has("--profile") && !arguments.has("--auto"))
    throw Arguments::wrong("--trace", "a trace is part of a profile", "--profile DIR");
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  if (arguments.command().empty()) throw usage_error("the command is missing", arguments.verb().usage());
  check_combination(arguments);
  const JobProcess process = job_process();
  if (process.launcher.empty())
    terminal.note(
        "no MPI launcher is seen: this is one process, rank 0 of 1 (mpirun -n N topowise run ... -- COMMAND)");
  bool as_mapped = true;
  if (arguments.has("--mapping")) as_mapped = apply_mapping(arguments, process, terminal);
  if (arguments.has("--auto")) as_mapped = apply_auto(arguments, process, terminal);
  if (!agree(as_mapped, arguments, process)) return ExitStatus::check_failed;
  if (arguments.has("--profile") && !arguments.has("--auto"))
    record_into(arguments.text("--profile"), arguments.has("--trace"));
  become(arguments.command());
}

}  // namespace

Verb run_verb() {
  Verb verb{.name = "run",
            .summary = "record one rank of an MPI job, or put a mapping into effect",
            .description =
                "Stands between the launcher and the program and then becomes the program, which needs no "
                "change. Every launcher works that tells a process its rank in the environment.",
            .examples = {"mpirun -n 16 topowise run --profile app.traffic -- ./app --its-own options",
                         "mpirun -n 16 topowise run --mapping app.mapping -- ./app",
                         "srun -n 16 topowise run --mapping app.mapping --cpu-bind numa --verify -- ./app",
                         "mpirun -n 16 topowise run --auto -- ./app"}};
  verb.takes_command = true;
  verb.options = {
      {"--profile",
       "DIR",
       "recording",
       "record what every rank sends into a directory of small files; with --auto the profile to map by, recorded if "
       "it is not there yet",
       {},
       nullptr,
       {},
       Completes::directories},
      {"--trace", "", "recording", "also record every message with its time"},
      {"--mapping", "FILE", "mapping", "what 'map --save' wrote", {}, nullptr, {}, Completes::files},
      {"--gpu-bind", "HOW", "mapping",
       "how the GPU is given; permute keeps all visible, in an order in which device number 'local rank' is the "
       "mapped one; set-device leaves the order and makes the mapped one current when MPI starts",
       "permute", gpu_bindings, "GPU binding", Completes::choices},
      {"--cpu-bind", "HOW", "mapping", "bind to the processors of the GPU's NUMA domain", "none", cpu_bindings,
       "CPU binding", Completes::choices},
      {"--auto", "", "mapping",
       "map on every node as the job starts: by the profile of an earlier run of the program, which the first run "
       "records, else by the topology alone"},
      {"--topology", "TOPOLOGY", "mapping", "the machine for --auto", "live", nullptr, {}, Completes::topologies},
      {"--avoid-busy", "", "mapping", "--auto leaves GPUs out that others are using"},
      {"--wait", "TIME", "mapping", "how long the ranks of a node wait for each other in --auto", "10s"},
      {"--verify", "", "mapping",
       "tell expected against actual host, GPU, processors and memory policy; exit 1 if they differ; tell too whether "
       "the "
       "ranks of a node can open each other's GPU memory"}};
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
