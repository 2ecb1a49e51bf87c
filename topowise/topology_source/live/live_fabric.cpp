// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/live/live_fabric.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/child_process.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/format.hpp>

namespace topowise {
namespace {

constexpr int kSeconds = 30;  ///< a controller of a large site may take its time

/// True in the script of a job of Slurm, whose controller knows where hosts are: steps may be started there, and each
/// of their tasks is told its address. Not in a step, where starting another could wait for ever.
bool in_script_of_slurm() {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return is_set("SLURM_JOB_ID") && is_set("SLURM_TOPOLOGY_ADDR") && !is_set("SLURM_STEP_ID");
}

/// Of what the tasks print, the lines that say where they are, and in which domain of NVLink.
std::string addresses_in(std::string_view answers) {
  std::string lines;
  while (!answers.empty()) {
    const std::string_view line = take_part(answers, '\n');
    const std::string_view text = trim(line.substr(std::min(line.find(": "), line.size())));
    const bool says = line.starts_with("SLURM_TOPOLOGY_ADDR") || text.starts_with(": SLURM_TOPOLOGY_ADDR") ||
                      line.find("ClusterUUID") < line.size() || line.find("CliqueId") < line.size();
    if (says) lines += fmt::format("{}\n", line);
  }
  return lines;
}

std::string why_no_output(const ProgramResult& result) {
  switch (*result.failure) {
    case NoOutput::missing:
      return "not installed";
    case NoOutput::late:
      return fmt::format("no answer in {} s", kSeconds);
    case NoOutput::too_long:
      return fmt::format("the answer is larger than {} GiB", kLargestCluster >> 30);
    case NoOutput::failed:
      break;
  }
  return fmt::format("it ended with {}{}{}", result.ending, result.complaint.empty() ? "" : ": ", result.complaint);
}

}  // namespace

Topology live_fabric(const ReadAnswer& read) {
  std::vector<std::vector<std::string>> commands{{"scontrol", "show", "topology"}};
  if (in_script_of_slurm())
    commands.push_back({"srun", "--overlap", "--ntasks-per-node=1", "--label", "sh", "-c",
                        "env | grep ^SLURM_TOPOLOGY_ADDR; nvidia-smi -q 2> /dev/null; true"});
  commands.push_back({"ibnetdiscover"});
  commands.push_back({"kubectl", "get", "nodes", "-o", "json"});
  std::string answers;
  for (const std::vector<std::string>& command : commands) {
    const bool asks_steps = command.front() == "srun";
    const std::string where = asks_steps ? "SLURM_TOPOLOGY_ADDR by srun" : fmt::format("{}", fmt::join(command, " "));
    const ProgramResult result = run_program(command, kSeconds, kLargestCluster);
    std::string why;
    if (result.failure) {
      why = why_no_output(result);
    } else {
      try {
        return read(where, asks_steps ? addresses_in(result.output) : result.output);
      } catch (const Error& error) {
        why = error.diagnostics().front().what;
      }
    }
    answers += fmt::format("{}{}: {}", answers.empty() ? "" : "; ", where, why);
  }
  throw not_available(fmt::format("no program describes the network ({})", answers),
                      "cluster:FABRIC,NODE with a file: topology.conf, or what ibnetdiscover prints to root");
}

}  // namespace topowise
