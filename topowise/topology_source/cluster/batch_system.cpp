// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/cluster/batch_system.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <topowise/base/child_process.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>
#include <topowise/base/host_names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>
#include <topowise/reading/cpu_list.hpp>
#include <topowise/topology_source/fabric/hostlist.hpp>

namespace topowise {
namespace {

constexpr int kSchedulerSeconds = 20;

/// The numbers in "gpu:a100:4(IDX:0-1,3),gpu:2(IDX:4-5)".
std::vector<std::string> numbers_of_gres(std::string_view gres) {
  std::vector<std::string> gpus;
  while (gres.find("gpu") != std::string_view::npos) {
    gres.remove_prefix(gres.find("gpu"));
    const std::size_t open = gres.find('(');
    const std::size_t close = gres.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) break;
    const std::string_view inside = gres.substr(open + 1, close - open - 1);
    gres.remove_prefix(close);
    if (!inside.starts_with("IDX:")) continue;
    for (const auto& [first, last] : parse_cpu_list(inside.substr(4)).value_or(CpuRanges{}))
      for (int gpu = first; gpu <= last; ++gpu) gpus.push_back(std::to_string(gpu));
  }
  return gpus;
}

}  // namespace

JobWitness environment_witness() {
  JobWitness witness;
  witness.variable = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  witness.file = [](const std::string& path) -> std::optional<std::string> {
    if (path.empty()) return std::nullopt;
    try {
      return read_text(path, kLargestHostfile);
    } catch (const Error&) {
      return std::nullopt;
    }
  };
  witness.host = host_name();
  return witness;
}

JobWitness this_witness() {
  JobWitness witness = environment_witness();
  witness.program = [](const std::vector<std::string>& command) { return program_output(command, kSchedulerSeconds); };
  return witness;
}

std::string slurm_gpu_request(const JobWitness& witness) {
  if (witness.value("SLURM_JOB_ID").empty()) return {};
  for (const char* name : {"SLURM_GPUS_ON_NODE", "SLURM_JOB_GPUS", "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK",
                           "SLURM_GPUS", "SLURM_GPUS_PER_NODE_HET_GROUP_0"})
    if (!witness.value(name).empty()) return name;
  return {};
}

std::vector<SlurmGpus> ask_slurm(const JobWitness& witness) {
  std::vector<SlurmGpus> found;
  if (!witness.program || witness.value("SLURM_JOB_ID").empty()) return found;
  // Lines "Nodes=n[0-1] CPU_IDs=0-7 Mem=0 GRES=gpu:4(IDX:3-6)", of all components of a heterogeneous job.
  const std::string text =
      witness.program({"scontrol", "-d", "show", "job", witness.value("SLURM_JOB_ID")}).value_or(std::string());
  for (const std::string_view line : split(text, '\n')) {
    std::string_view nodes;
    for (const std::string_view word : split_blanks(line)) {
      if (word.starts_with("Nodes=")) nodes = word.substr(6);
      if (!word.starts_with("GRES=") || nodes.empty()) continue;
      std::vector<std::string> gpus = numbers_of_gres(word.substr(5));
      if (!gpus.empty()) found.push_back({std::string(nodes), std::move(gpus)});
    }
  }
  return found;
}

std::vector<std::string> hosts_in(std::string_view hostlist) try {
  const TextLines lines("hosts", hostlist);
  return expand_hostlist(lines, 0, lines[0]);
} catch (const Error&) {
  return {};
}

bool names_host(std::string_view hostlist, const std::string& host, bool only_first) {
  const std::vector<std::string> hosts = hosts_in(hostlist);
  const auto is_this = [&](const std::string& name) { return is_same_host(name, host); };
  return only_first ? !hosts.empty() && is_this(hosts.front()) : std::ranges::any_of(hosts, is_this);
}

}  // namespace topowise
