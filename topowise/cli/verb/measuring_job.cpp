// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/measuring_job.hpp>

#include <algorithm>
#include <set>
#include <tuple>

#include <topowise/base/host_names.hpp>
#include <topowise/device/table.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/job/cpu_binding.hpp>
#include <topowise/job/gpu_share.hpp>
#include <topowise/mpi/library.hpp>
#include <topowise/reading/cpu_list.hpp>
#include <topowise/topology_source/source.hpp>

namespace topowise::cli {
namespace {

OwnGpu choose_gpu(std::size_t number_on_host) {
  device::Driver driver = device::open_driver();
  const std::size_t count = driver.devices().size();
  if (count > 1 && number_on_host >= count)
    throw not_available(
        fmt::format("there are {} GPUs, and this is rank {} of the host, counted from 0", count, number_on_host),
        "one rank for each GPU, or --device host");
  return {std::move(driver), count > 1 ? static_cast<int>(number_on_host) : 0};
}

void check_gpus_differ(const std::vector<probe::JobRank>& ranks) {
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (!seen.emplace(ranks[r].host, ranks[r].gpu_pci, ranks[r].gpu_uuid).second)
      throw not_available(
          fmt::format("rank {} on {} has a GPU that an earlier rank has, too: {}", r, ranks[r].host, ranks[r].gpu_pci),
          "one rank for each GPU, or --device host");
  }
}

}  // namespace

void note_share(const Terminal& terminal) {
  const std::string note = job::keep_to_share();
  if (!note.empty() && job::this_process().rank == 0) terminal.note(note);
}

bool is_in_job() {
  const job::Process process = job::this_process();
  if (process.launcher.empty() || process.size.value_or(2) < 2) return false;
  return process.launcher != "Slurm" || job::environment("SLURM_STEP_ID").has_value();  // a batch script is no step
}

ExitStatus measure_as_job(const std::function<void()>& check, const std::function<void(const mpi::MpiTeam&)>& work,
                          const Terminal& terminal) {
  const mpi::LauncherTraces traces{job::this_process().launcher, mpi::ancestor_programs(), job::environment};
  const auto wrong_size = [](const job::Process& job, int seen) {
    return not_available(
        fmt::format("{} started {} processes, but the MPI library sees {}", job.launcher, *job.size, seen),
        "TOPOWISE_MPI_LIBRARY=/path/to/libmpi.so names the library of this launcher");
  };
  return run_in_job({.check = check,
                     .open = [&] { return mpi::open_library(traces); },
                     .wrong_size = wrong_size,
                     .work = [&](const mpi::MpiTeam& team, const SharedLibrary& /*library*/) { work(team); }},
                    terminal);
}

GatheredRanks gather(const mpi::MpiTeam& team) {
  GatheredRanks gathered;
  gathered.ranks = probe::gather_ranks(team, {.host = host_name(), .cpus = to_cpu_list(job::allowed_cpus())});
  gathered.hosts = probe::number_hosts(gathered.ranks);
  return gathered;
}

void take_gpus(const mpi::MpiTeam& team, GatheredRanks& gathered) {
  const auto& of_rank = gathered.hosts.of_rank;
  const auto me = static_cast<std::size_t>(team.rank());
  const auto number = std::count(of_rank.begin(), of_rank.begin() + team.rank(), of_rank[me]);
  probe::JobRank own = gathered.ranks[me];
  team.together([&] {
    in_the_name_of(team.rank(), own.host, [&] {
      gathered.gpu = choose_gpu(static_cast<std::size_t>(number));
      const device::Device& device = gathered.gpu->driver.devices()[static_cast<std::size_t>(gathered.gpu->ordinal)];
      own.gpu_pci = device.pci;
      own.gpu_uuid = device.uuid;
    });
  });
  gathered.ranks = probe::gather_ranks(team, own);
  team.together([&] { check_gpus_differ(gathered.ranks); });
}

Topology read_together(const mpi::MpiTeam& team, const std::string& source) {
  std::vector<char> text;
  team.together([&] {
    if (team.rank() != 0) return;
    const std::string json = to_json(read_topology(source));
    text.assign(json.begin(), json.end());
  });
  team.broadcast(text, 0);
  return topology_from_json(source, std::string_view(text.data(), text.size()));
}

}  // namespace topowise::cli
