// SPDX-License-Identifier: BSD-3-Clause
// Only process 0 writes and prints, for all processes.
#include <topowise/cli/verb/map_job.hpp>

#include <topowise/cli/input/map_problem.hpp>
#include <topowise/cli/input/traffic_options.hpp>
#include <topowise/cli/verb/mpi_job.hpp>
#include <topowise/distributed/map_distributed.hpp>
#include <topowise/distributed/pt_scotch.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::cli {
namespace {

using mpi::MpiTeam;
using mpi::Team;

void check_arguments(const Arguments& arguments) {
  if (parse_objective(arguments.text("--objective")).value_or(Objective::hop_bytes) != Objective::hop_bytes)
    throw Arguments::wrong("--objective", "with --distributed only hop-bytes", "--objective hop-bytes");
  for (const std::string_view option : {"--imbalance", "--loads", "--fix"}) {
    if (arguments.has(option)) throw Arguments::wrong(option, "not with --distributed");
  }
  if (arguments.operand(1) == "-")
    throw usage_error("with --distributed every process reads TOPOLOGY: it cannot be the standard input");
}

/// The traffic of this process's ranks. Inputs that cannot be read in pieces are read by process 0, which deals them
/// out.
TrafficRows read_rows(const Arguments& arguments, const Team& team, const Terminal& terminal) {
  const auto piece = static_cast<std::size_t>(team.rank());
  const auto pieces = static_cast<std::size_t>(team.size());
  std::optional<TrafficRows> rows;
  std::optional<Traffic> whole;
  team.together([&] {
    rows = read_traffic_rows(arguments.operand(0), {}, piece, pieces);
    if (!rows && team.rank() == 0) whole = traffic_of(arguments, arguments.operand(0), terminal);
  });
  if (rows) return std::move(*rows);
  std::vector<std::size_t> ranks{whole ? whole->ranks() : 0};
  team.broadcast(ranks, 0);
  std::vector<std::vector<TrafficEntry>> outgoing(pieces);
  for (std::size_t p = 0; whole && p < pieces; ++p) {
    const RankRange range = piece_of(ranks[0], p, pieces);
    for (std::size_t r = range.first; r < range.end; ++r) {
      const TrafficEntries sent = whole->sent_by(Rank(r));
      outgoing[p].insert(outgoing[p].end(), sent.begin(), sent.end());
    }
  }
  whole.reset();
  return {ranks[0], team.exchange(outgoing).front(), {}};
}

/// Throws if the hosts read different machines: files and `live` may differ from host to host.
void check_same_machine(const Team& team, const Topology& topology) {
  const std::vector<std::size_t> own{topology.place_count(), topology.vertices().size(), topology.links().size()};
  const std::vector<std::vector<std::size_t>> all = team.gather_at_all(own);
  team.together([&] {
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (all[p] != all[0])
        throw bad_input(fmt::format("process {} reads another machine than process 0", p),
                        "topowise topology TOPOLOGY --save FILE makes one for all");
    }
  });
}

void map_in_team(const Arguments& arguments, const Terminal& terminal, const Team& team, const SharedLibrary& library,
                 const std::function<void(const MapProblem&, const MappingResult&)>& deliver) {
  TrafficRows rows = read_rows(arguments, team, terminal);
  std::optional<MapProblem> problem;
  team.together([&] {
    problem = map_problem(arguments, Traffic::from_entries(rows.ranks, {}), team.rank() == 0 ? &terminal : nullptr);
    check_emitted(arguments, *problem);
  });
  check_same_machine(team, problem->topology);
  const MappingResult result = distributed::map_distributed(
      team, *problem, std::move(rows.entries), arguments.text("--mapper"),
      [&](const distributed::GuestGraph& graph, const distributed::MachineParts& parts, std::uint64_t seed) {
        return distributed::partition_by_pt_scotch(library, team, graph, parts, seed);
      },
      {.time_limit = arguments.time("--time-limit")});
  team.together([&] {
    if (team.rank() == 0) deliver(*problem, result);
  });
}

}  // namespace

ExitStatus map_as_job(const Arguments& arguments, Terminal& terminal,
                      const std::function<void(const MapProblem&, const MappingResult&)>& deliver) {
  const auto wrong_size = [](const job::Process& job, int seen) {
    return not_available(fmt::format("{} started {} processes, but the MPI library of PT-Scotch (Open MPI) sees {}",
                                     job.launcher, *job.size, seen),
                         fmt::format("mpirun.openmpi -n {} topowise map --distributed ...", *job.size));
  };
  return run_in_job(
      {.check = [&] { check_arguments(arguments); },
       .open = distributed::open_pt_scotch,
       .wrong_size = wrong_size,
       .work = [&](const MpiTeam& team,
                   const SharedLibrary& library) { map_in_team(arguments, terminal, team, library, deliver); }},
      terminal);
}

}  // namespace topowise::cli
