// SPDX-License-Identifier: BSD-3-Clause
// Stands between the launcher and one process of the job: sets the environment and becomes the program.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/cpu_binding.hpp>
#include <topowise/cli/preload.hpp>
#include <topowise/cli/rank_setup.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verbs.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> gpu_bindings() {
  return {"permute", "only", "none"};
}
std::vector<std::string> cpu_bindings() {
  return {"numa", "none"};
}

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void set(const std::string& name, const std::string& value) {
  ::setenv(name.c_str(), value.c_str(), 1);
}

void record_into(const std::string& directory, bool trace) {
  if (directory.empty()) throw Arguments::wrong("--profile", "the name of a directory is wanted");
  set("LD_PRELOAD", preload_list(environment("LD_PRELOAD").value_or(""), find_interpose_library()));
  set("TOPOWISE_PROFILE", std::filesystem::absolute(directory).string());
  if (trace) set("TOPOWISE_TRACE", "1");
}

void bind_processors(const Placement& placement, const JobProcess& process, const Terminal& terminal) {
  const std::vector<int> cpus = cpus_near(placement, process.rank);
  if (cpus.empty()) {
    terminal.warn(fmt::format("rank {}: the processors near {} are not known, so it is not bound", process.rank,
                              placement.ranks[process.rank].place));
    return;
  }
  bind_to_cpus(cpus);
}

/// One line a rank; false if something is not as expected.
bool verify(const Placement& placement, const JobProcess& process, std::size_t local_rank, bool check_cpus,
            const Terminal& terminal) {
  bool all_met = true;
  std::string line = fmt::format("verify: rank {}", process.rank);
  for (const Expectation& expectation : expectations(placement, process.rank, local_rank, check_cpus, environment)) {
    line += expectation.met
                ? fmt::format(", {} {}", expectation.what, expectation.actual)
                : fmt::format(", {} {} instead of {}", expectation.what, expectation.actual, expectation.expected);
    all_met = all_met && expectation.met;
  }
  terminal.note(line + (all_met ? ": as mapped" : ": not as mapped"));
  return all_met;
}

/// Puts the mapping into effect. False if --verify found a difference.
bool apply_mapping(const Arguments& arguments, const JobProcess& process, const Terminal& terminal) {
  const Placement placement = read_placement(arguments.text("--mapping"));
  check_job(placement, process);
  const PlacedRank& placed = placement.ranks[process.rank];
  const std::size_t local_rank = process.local_rank.value_or(placed.local_rank);
  if (!placed.gpu && process.rank == 0)
    terminal.warn(fmt::format("the places of '{}' are no GPUs: no GPU is chosen", placement.topology));
  const GpuBinding binding = *parse_gpu_binding(arguments.text("--gpu-bind"));
  for (const auto& [name, value] : gpu_environment(placement, process.rank, local_rank, binding, environment))
    set(name, value);
  const bool bind_cpus = arguments.text("--cpu-bind") == "numa";
  if (bind_cpus) bind_processors(placement, process, terminal);
  return !arguments.has("--verify") || verify(placement, process, local_rank, bind_cpus, terminal);
}

[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  throw not_available(fmt::format("cannot start '{}': {}", command.front(), std::strerror(errno)));
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  if (arguments.command().empty()) throw usage_error("the command is missing", arguments.verb().usage());
  for (const char* option : {"--gpu-bind", "--cpu-bind", "--verify"}) {
    if (arguments.has(option) && !arguments.has("--mapping"))
      throw Arguments::wrong(option, "this needs a mapping",
                             "--mapping FILE, as written by 'topowise map --save FILE'");
  }
  if (arguments.has("--trace") && !arguments.has("--profile"))
    throw Arguments::wrong("--trace", "a trace is part of a profile", "--profile DIR");
  const JobProcess process = job_process([](const char* name) -> const char* { return std::getenv(name); });
  if (process.launcher.empty())
    terminal.note(
        "no MPI launcher is seen: this is one process, rank 0 of 1 (mpirun -n N topowise run ... -- COMMAND)");
  if (arguments.has("--mapping") && !apply_mapping(arguments, process, terminal)) return ExitStatus::check_failed;
  if (arguments.has("--profile")) record_into(arguments.text("--profile"), arguments.has("--trace"));
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
                         "srun -n 16 topowise run --mapping app.mapping --cpu-bind numa --verify -- ./app"}};
  verb.takes_command = true;
  verb.options = {
      {"--profile",
       "DIR",
       "recording",
       "record what every rank sends into a directory of small files",
       {},
       nullptr,
       {},
       Completes::directories},
      {"--trace", "", "recording", "also record every message with its time"},
      {"--mapping", "FILE", "mapping", "what 'map --save' wrote", {}, nullptr, {}, Completes::files},
      {"--gpu-bind", "HOW", "mapping",
       "how the GPU is given; permute keeps all visible, in an order in which device number 'local rank' is the "
       "mapped one",
       "permute", gpu_bindings, "GPU binding", Completes::choices},
      {"--cpu-bind", "HOW", "mapping", "bind to the processors of the GPU's NUMA domain", "none", cpu_bindings,
       "CPU binding", Completes::choices},
      {"--verify", "", "mapping", "tell expected against actual host, GPU and processors; exit 1 if they differ"}};
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
