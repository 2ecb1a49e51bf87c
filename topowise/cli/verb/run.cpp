// SPDX-License-Identifier: BSD-3-Clause
// `run` is between the launcher and one process of the job: it sets the environment and becomes the program.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/guarded.hpp>
#include <topowise/cli/input/map_arguments.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/mpi_job.hpp>
#include <topowise/cli/verb/reorder_options.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/collective/plan/algorithms.hpp>
#include <topowise/collective/tuning.hpp>
#include <topowise/device/library_names.hpp>
#include <topowise/job/abort_job.hpp>
#include <topowise/job/launcher_watch.hpp>
#include <topowise/job/meeting/rendezvous.hpp>
#include <topowise/job/start.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> gpu_bindings() {
  return {"permute", "only", "set-device", "none"};
}
std::vector<std::string> allreduce_algorithms() {
  return names_of(collective::algorithms(), {"auto"});
}

/// The functions of MPI that a job does on GPUs, as the preloaded library takes them: "allreduce,bcast".
std::string functions_on_gpu(const Arguments& arguments) {
  const std::vector<std::string> known{
      "allreduce", "bcast", "reduce", "allgather", "allgatherv", "reduce_scatter", "reduce_scatter_block"};
  if (!arguments.has("--collectives-on-gpu")) return known.front();
  const std::string list = arguments.text("--collectives-on-gpu");
  for (const std::string_view name : split(list, ',')) {
    if (std::ranges::find(known, name) == known.end())
      throw Arguments::wrong("--collectives-on-gpu", unknown_name("function", name, known),
                             fmt::format("--collectives-on-gpu={}", fmt::join(known, ",")));
  }
  return arguments.has("--allreduce") ? "allreduce," + list : list;
}

std::vector<std::string> init_moments() {
  return {"first", "start"};
}
std::vector<std::string> cpu_bindings() {
  return {"place", "numa", "none"};
}

std::vector<std::string> nic_bindings() {
  return {"near", "none"};
}

std::vector<std::string> node_matches() {
  return {"name", "order"};
}

job::Notices notices_of(const Terminal& terminal) {
  return {[&](const std::string& line) { terminal.note(line); },
          [&](const Diagnostic& diagnostic) { terminal.warn(diagnostic); }};
}

job::StartOptions start_options(const Arguments& arguments) {
  return {.gpu_binding = arguments.one_of("--gpu-bind", parse_gpu_binding),
          .match_nodes = arguments.one_of("--match-nodes", job::parse_node_match),
          .bind_nics = arguments.text("--nic-bind") == "near",
          .cpu_binding = arguments.one_of("--cpu-bind", job::parse_cpu_binding),
          .trace = arguments.has("--trace"),
          .verify = arguments.has("--verify"),
          .timeout = arguments.time("--wait")};
}

job::AutoOptions auto_options(const Arguments& arguments) {
  return {.command = arguments.command(),
          .profile = arguments.has("--profile") ? std::optional(arguments.text("--profile")) : std::nullopt,
          .topology = arguments.text("--topology"),
          .mapping = {.mapper = arguments.text("--mapper"),
                      .metric = arguments.has("--metric") ? parse_metric(arguments.text("--metric")) : std::nullopt,
                      .objective = parse_objective(arguments.text("--objective"))},
          .gpu_binding = arguments.one_of("--gpu-bind", parse_gpu_binding),
          .bind_nics = arguments.text("--nic-bind") == "near",
          .avoid_busy = arguments.has("--avoid-busy"),
          .timeout = arguments.time("--wait")};
}

void check_combination(const Arguments& arguments) {
  for (const char* option : {"--mapping", "--topology"}) {
    if (arguments.text(option) == "-")
      throw Arguments::wrong(option, "the standard input is the program's", "name a file");
  }
  if (arguments.has("--auto") && arguments.has("--mapping"))
    throw Arguments::wrong("--auto", "the mapping is given already", "leave one of --auto and --mapping away");
  for (const char* option : {"--gpu-bind", "--cpu-bind", "--nic-bind", "--verify"}) {
    if (arguments.has(option) && !arguments.has("--mapping") && !arguments.has("--auto"))
      throw Arguments::wrong(option, "this needs a mapping",
                             "--mapping FILE, as written by 'topowise map --save FILE', or --auto");
  }
  if (arguments.has("--match-nodes") && !arguments.has("--mapping"))
    throw Arguments::wrong("--match-nodes", "this belongs to --mapping", "--mapping FILE");
  check_reorder_options(arguments);
  if (arguments.has("--allreduce-report") && !arguments.has("--allreduce") && !arguments.has("--collectives-on-gpu"))
    throw Arguments::wrong("--allreduce-report", "this belongs to --allreduce and --collectives-on-gpu",
                           "--allreduce --allreduce-report");
  if (arguments.has("--collectives-on-gpu")) static_cast<void>(functions_on_gpu(arguments));
  if (arguments.has("--allreduce-init") && !arguments.has("--allreduce") && !arguments.has("--collectives-on-gpu"))
    throw Arguments::wrong("--allreduce-init", "this belongs to --allreduce and --collectives-on-gpu",
                           "--allreduce --allreduce-init start");
  for (const char* option : {"--topology", "--avoid-busy", "--mapper", "--metric", "--objective"}) {
    if (arguments.has(option) && !arguments.has("--auto"))
      throw Arguments::wrong(option, "this belongs to --auto", "--auto");
  }
  if (arguments.has("--wait") && !arguments.has("--auto") && !arguments.has("--verify"))
    throw Arguments::wrong("--wait", "the ranks of a node wait for each other in --auto and --verify only",
                           "--auto or --verify");
  if (arguments.has("--trace") && !arguments.has("--profile") && !arguments.has("--auto"))
    throw Arguments::wrong("--trace", "a trace is part of a profile", "--profile DIR");
}

std::vector<Option> allreduce_options() {
  return {
      {"--allreduce",
       "ALGORITHM",
       "collectives",
       "MPI_Allreduce of vectors in GPU memory is done on the GPU, among the ranks of a node; not measured on a GPU "
       "yet. All ranks of the job must have this option",
       {},
       allreduce_algorithms,
       "algorithm",
       Completes::choices,
       "auto"},
      {.name = "--collectives-on-gpu",
       .value = "LIST",
       .group = "collectives",
       .help = "these functions of vectors in GPU memory are done on the GPU: allreduce, bcast, reduce, allgather, "
               "allgatherv, reduce_scatter, reduce_scatter_block, separated by commas. --allreduce is for allreduce "
               "alone, and can name the algorithm of all; not measured "
               "on a GPU yet. All ranks of the job must have the same list",
       .implied = "allreduce,bcast,reduce,allgather,allgatherv,reduce_scatter,reduce_scatter_block"},
      {"--allreduce-init", "WHEN", "collectives",
       "when the ranks of MPI_COMM_WORLD meet: at their first call, or in MPI_Init", "first", init_moments, "moment",
       Completes::choices},
      {"--allreduce-report", "", "collectives", "at the end, print how many calls each algorithm did"}};
}

void note_no_launcher(const Terminal& terminal) {
  const std::string lack = job::lack_of_env_start([](const char* name) { return std::getenv(name); });
  if (lack.empty())
    terminal.note(
        "no MPI launcher is seen: this is one process, rank 0 of 1 (mpirun -n N topowise run ... -- COMMAND)");
  else
    terminal.note(
        fmt::format("no launcher is seen, and of RANK, WORLD_SIZE and LOCAL_RANK, which give the rank of "
                    "a PyTorch job, {}: this is one process, rank 0 of 1",
                    lack));
}

/// Only rank 0 finds what is wrong with the files of --reorder.
ExitStatus prepare_reordering(const Arguments& arguments, const job::Process& process, const Terminal& terminal) {
  const job::ReorderOptions options = reorder_choice(arguments);
  try {
    job::reorder_ranks(options, process);
    return ExitStatus::done;
  } catch (const Error& error) {
    return refuse_in_job(error, terminal);
  }
}

/// A tuning file that is named and not there would be a choice that nobody makes.
void check_tuning() {
  const char* named = std::getenv("TOPOWISE_ALLREDUCE_TUNING");
  const std::string file = named == nullptr || *named == '\0' ? std::string() : collective::tuning_file();
  if (!file.empty() && ::access(file.c_str(), F_OK) != 0)
    throw bad_input(fmt::format("TOPOWISE_ALLREDUCE_TUNING='{}' is no file", printable(file)),
                    "'topowise bench allreduce --tune' writes it; TOPOWISE_ALLREDUCE_TUNING=off does without");
}

/// Warns of drivers' libraries that are named and not there, unless another one is: all would be done, or recorded as
/// memory of the host, without a word. A name without a folder is one for the loader to find, or "none".
void warn_of_drivers(const Terminal& terminal) {
  std::vector<std::string> missing;
  for (const device::LibraryNames& names : {device::kCudaLibrary, device::kHipLibrary}) {
    const char* named = std::getenv(names.variable);
    if (named == nullptr || std::strchr(named, '/') == nullptr) continue;
    if (::access(named, F_OK) == 0) return;
    missing.push_back(fmt::format("{}='{}' is no file", names.variable, printable(named)));
  }
  if (!missing.empty()) terminal.warn(fmt::format("{}", fmt::join(missing, "; ")));
}

/// Becomes the program. Returns only if something prevents that.
ExitStatus start(const Arguments& arguments, const job::StartOptions& options, const job::Process& process,
                 const Terminal& terminal) {
  const job::Notices notices = notices_of(terminal);
  const job::LauncherWatch& watch = job::launcher_watch();  // from the beginning
  const bool waits = arguments.has("--auto") || options.verify;
  bool as_mapped = true;
  if (arguments.has("--mapping"))
    as_mapped = job::start_mapped(arguments.text("--mapping"), options, process, notices);
  else if (arguments.has("--auto"))
    as_mapped = job::start_auto(auto_options(arguments), options, process, notices);
  if (!as_mapped) return ExitStatus::check_failed;
  const bool records = arguments.has("--profile") && !arguments.has("--auto");
  if (records) {
    if (arguments.text("--profile").empty()) throw Arguments::wrong("--profile", "the name of a directory is wanted");
    if (process.rank == 0) warn_of_drivers(terminal);
    job::record_into(arguments.text("--profile"), options.trace);
    job::report_recording(arguments.text("--profile"), process);
  }
  if (arguments.has("--reorder")) {
    const ExitStatus status = prepare_reordering(arguments, process, terminal);
    if (status != ExitStatus::done) return status;
  }
  if (arguments.has("--allreduce") || arguments.has("--collectives-on-gpu")) {
    check_tuning();
    if (process.rank == 0 && !records) warn_of_drivers(terminal);
    job::reduce_on_gpus({.algorithm = arguments.has("--allreduce") ? arguments.text("--allreduce") : "auto",
                         .functions = functions_on_gpu(arguments),
                         .meet_at_start = arguments.text("--allreduce-init") == "start",
                         .report = arguments.has("--allreduce-report")});
  }
  if (waits && watch.gone()) throw job::LauncherGone();
  job::fit_preloading(arguments.command(), process, notices);
  job::become(arguments.command());
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  if (arguments.command().empty()) throw usage_error("the command is missing", arguments.verb().usage());
  check_combination(arguments);
  const job::StartOptions options = start_options(arguments);
  const job::Process process = job::this_process();
  if (process.launcher.empty()) note_no_launcher(terminal);
  const auto unless_launcher_is_gone = [&] {
    try {
      return start(arguments, options, process, terminal);
    } catch (const job::LauncherGone&) {
      return ExitStatus::check_failed;  // quietly, because nobody listens
    }
  };
  const ExitStatus status = guarded(unless_launcher_is_gone, terminal, [&] { job::wait_for_turn(process); });
  // Other ranks may be on their way to MPI_Init, where some launchers would leave them. A rank that is not as mapped
  // has ended the job already, and without a launcher there is none.
  if (status != ExitStatus::done && status != ExitStatus::check_failed) job::abort_job(status);
  return status;
}

}  // namespace

Verb run_verb() {
  Verb verb{
      .name = "run",
      .summary = "record one rank of an MPI job, or put a mapping into effect",
      .description =
          "Goes between the launcher and the program, then becomes the program, which needs no change. Works under "
          "every launcher that gives a process its rank in the environment.",
      .examples = {"mpirun -n 16 topowise run --profile app.traffic -- ./app --its-own options",
                   "mpirun -n 16 topowise run --mapping app.mapping -- ./app",
                   "srun -n 16 topowise run --mapping app.mapping --cpu-bind numa --verify -- ./app",
                   "mpirun -n 16 topowise run --auto -- ./app", "mpirun -n 64 topowise run --reorder=report -- ./app"}};
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
      {"--cpu-bind", "HOW", "mapping",
       "place binds a rank on a core to that core, and leaves a rank on a GPU where the launcher has bound it; numa "
       "also binds a rank on a GPU, to the processors of the GPU's NUMA domain",
       "place", cpu_bindings, "CPU binding", Completes::choices},
      {"--nic-bind", "HOW", "mapping",
       "give each rank one of the NICs nearest to its GPU, shared by as few ranks as possible, unless the environment "
       "names one already (UCX, Cray MPICH); NCCL gets all that are near a rank of the node",
       "none", nic_bindings, "NIC binding", Completes::choices},
      {"--match-nodes", "HOW", "mapping",
       "how a process of torchrun or DeepSpeed, which takes the mapped rank, finds its node in the mapping: by the "
       "name of its host, or node rank i is the i-th",
       "name", node_matches, "way to match", Completes::choices},
      {"--auto", "", "mapping",
       "map on every node as the job starts: by the profile of an earlier run of the program, which the first run "
       "records, else by the topology alone"},
      {"--topology", "TOPOLOGY", "mapping", "the machine for --auto", "live", nullptr, {}, Completes::topologies},
      {"--mapper", "NAME", "mapping", "how --auto maps; 'topowise map --mapper list' explains them", "auto",
       mapper_names, "mapper", Completes::choices},
      {"--metric", "NAME", "mapping", "what a pair of places costs for --auto", "distance", metric_names, "metric",
       Completes::choices},
      objective_option(),
      {"--avoid-busy", "", "mapping", "with --auto, leave out GPUs that others are using"},
      {"--wait", "TIME", "mapping", "how long the ranks of a node wait for each other in --auto and --verify", "10s"},
      {"--verify", "", "mapping",
       "compare expected with actual host, GPU, processors and memory policy: one line for each node if all is well; "
       "exit 1 if they differ; also say whether the ranks of a node can open each other's GPU memory and, when MPI "
       "ends, "
       "which of them have chosen another GPU"}};
  std::ranges::copy(reorder_options(), std::back_inserter(verb.options));
  std::ranges::copy(allreduce_options(), std::back_inserter(verb.options));
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
