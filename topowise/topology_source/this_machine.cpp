// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/this_machine.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <topowise/base/child_process.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/reading/format.hpp>
#include <topowise/topology_source/cluster/cluster.hpp>
#include <topowise/topology_source/cluster/job_hosts.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/join.hpp>
#include <topowise/topology_source/live/live.hpp>
#include <topowise/topology_source/merge/place_subset.hpp>
#include <topowise/topology_source/node/on_node.hpp>

namespace topowise {
namespace {

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

/// The places of `machine` that are in the list, in its order. If its places have no bus ids, all of them, with what
/// the list knows.
Topology only_listed(const Topology& machine, const std::vector<LiveGpu>& list) {
  std::vector<PlaceIdentity> keep;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const Place place : gpu_places(machine)) {
      const std::optional<PciAddress>& pci = machine.vertex_of(place).pci;
      if (pci ? *pci == list[i].pci : place.index() == i) keep.push_back({place, list[i].pci, list[i].uuid});
    }
  }
  return keep.size() == list.size() && !keep.empty() ? with_places(machine, keep) : machine;
}

/// The same machine without graphics inside the processor, if that leaves a GPU. A driver may list it among its GPUs.
Topology without_integrated(const Topology& machine, const std::vector<PciAddress>& integrated) {
  std::vector<PlaceIdentity> keep;
  for (const Place place : gpu_places(machine)) {
    const std::optional<PciAddress>& pci = machine.vertex_of(place).pci;
    if (!pci || std::ranges::find(integrated, *pci) == integrated.end()) keep.push_back({place, {}, {}});
  }
  const bool some = !keep.empty() && keep.size() < machine.place_count();
  return some ? with_places(machine, keep) : machine;
}

/// Joins the PCI tree of hwloc, else of sysfs, and the driver's bonds, for the GPUs that may be used here.
Topology join_parts(LiveMachine& found) {
  const auto is_integrated = [&](const LiveGpu& gpu) {
    return std::ranges::find(found.integrated, gpu.pci) != found.integrated.end();
  };
  if (!std::ranges::all_of(found.gpus, is_integrated)) std::erase_if(found.gpus, is_integrated);
  std::optional<Topology> host;
  if (found.hwloc) host = topology_format(found.hwloc->format).read(found.hwloc->where, found.hwloc->text);
  std::optional<Topology> joined;
  if (host && !gpu_places(*host).empty())
    joined = only_listed(*host, found.gpus);
  else if (found.bus)
    joined = only_listed(*found.bus, found.gpus);
  const auto join = [&](const Topology& machine) { joined = joined ? with_part(*joined, machine) : machine; };
  for (const Topology& driver : found.drivers) join(without_integrated(driver, found.integrated));
  for (const LiveReport& report : found.tools)
    join(only_listed(topology_format(report.format).read(report.where, report.text), found.gpus));
  if (!joined) joined = host;
  if (joined && found.hwloc) joined = with_named_rates(*std::move(joined), {found.hwloc->text});
  if (joined) return on_node(with_warnings(*joined, found.warnings), found.host);
  throw not_available(fmt::format("nothing here can describe this machine: {}", fmt::join(found.missing, "; ")),
                      "apt-get install libhwloc15");
}

}  // namespace

Topology live_fabric(int seconds) {
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
    const ProgramResult result = run_program(command, seconds, kLargestCluster);
    std::string why;
    if (result.failure) {
      why = why_no_output(result, seconds);
    } else {
      try {
        return read_topology_text(where, asks_steps ? addresses_in(result.output) : result.output);
      } catch (const Error& error) {
        why = error.diagnostics().front().what;
      }
    }
    answers += fmt::format("{}{}: {}", answers.empty() ? "" : "; ", where, why);
  }
  throw not_available(fmt::format("no program describes the network ({})", answers),
                      "cluster:FABRIC,NODE with a file: topology.conf, or what ibnetdiscover prints to root");
}

std::string own_machine() {
  try {
    if (parts_of_job(environment_witness()).size() > 1) return std::string(kClusterPrefix) + "live,live,hosts=job";
  } catch (const Error&) {  // no job, or none whose hosts are known
  }
  return "live";
}

LiveTopology read_live() {
  LiveMachine found = look_around();
  return {join_parts(found), std::move(found.nvml), std::move(found.limits)};
}

}  // namespace topowise
