// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <topowise/base/error.hpp>
#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/input/map_arguments.hpp>
#include <topowise/cli/input/place_list.hpp>
#include <topowise/cli/input/traffic_options.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/mpi_job.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/launcher_limits.hpp>
#include <topowise/cli/view/map_view.hpp>
#include <topowise/distributed/map_distributed.hpp>
#include <topowise/distributed/pt_scotch.hpp>
#include <topowise/graph/fingerprint.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/graph/traffic/replication_weights.hpp>
#include <topowise/launch/launcher.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/mapper/problem/objective_choice.hpp>
#include <topowise/reading/loads.hpp>
#include <topowise/report/text_table.hpp>
#include <topowise/topology_source/node/hidden_bonds.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::cli {
namespace {

// `map --distributed`: all processes of an MPI job search for one mapping.
// Only process 0 writes and prints, for all processes.

using mpi::MpiTeam;
using mpi::Team;

void check_arguments(const Arguments& arguments) {
  if (parse_objective(arguments.text("--objective")).value_or(Objective::hop_bytes) != Objective::hop_bytes)
    throw Arguments::wrong("--objective", "with --distributed only hop-bytes", "--objective hop-bytes");
  for (const std::string_view option : {"--loads", "--fix", "--weights"}) {
    if (arguments.has(option)) throw Arguments::wrong(option, "not with --distributed");
  }
  if (arguments.has_operand(1) && arguments.operand(1) == "-")
    throw usage_error("with --distributed every process reads TOPOLOGY: it cannot be the standard input");
}

double imbalance(const Arguments& arguments) {
  const std::string given = arguments.text("--imbalance");
  std::string_view text = trim(given);
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const std::optional<double> value = parse_double(text);
  constexpr double kMost = 1000;
  if (!value || !(*value >= 0) || *value > kMost)
    throw Arguments::wrong("--imbalance", fmt::format("'{}' is not a number from 0 to {}", printable(given), kMost),
                           "--imbalance 0.03 or --imbalance 3%");
  return percent ? *value / 100 : *value;
}

void read_imbalance(const Arguments& arguments, MapProblem& problem) {
  if (arguments.has("--ranks-per-place"))
    throw usage_error("--imbalance and --ranks-per-place both say how full a place may be");
  problem.imbalance = imbalance(arguments);
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
    if (arguments.has("--imbalance")) read_imbalance(arguments, *problem);
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

/// `deliver` is called in process 0 alone, with a problem whose traffic has no entries. Every process returns the same
/// status; one of them reports an error.
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

// The options for what a mapping must respect besides the capacities of places: balance, loads, fixed ranks.

constexpr double kImbalanceOfLoads = 0.03;
constexpr std::size_t kMostRanks = 1 << 24;

/// Reads "0=GPU3,5=12".
std::vector<FixedRank> parse_fixed(const Topology& topology, std::size_t ranks, const std::string& text) {
  std::vector<FixedRank> fixed;
  for (const std::string_view item : split(text, ',')) {
    const std::size_t equals = item.find('=');
    const std::optional<std::int64_t> rank = parse_integer(trim(item.substr(0, equals)));
    if (equals == std::string_view::npos || !rank || *rank < 0 || *rank > std::int64_t{kMostRanks})
      throw Arguments::wrong("--fix", fmt::format("'{}' is not RANK=PLACE", printable(item)), "--fix 0=GPU3,5=12");
    if (*rank >= static_cast<std::int64_t>(ranks))
      throw Arguments::wrong("--fix",
                             fmt::format("rank '{}' does not exist, the traffic has ranks 0 to {}", *rank, ranks - 1));
    fixed.push_back({Rank(static_cast<std::size_t>(*rank)), place_named(topology, item.substr(equals + 1), "--fix")});
  }
  return fixed;
}

std::vector<Option> constraint_options() {
  return {
      {"--imbalance", "E", "places",
       "a place may hold E (0.03 or 3%) more than its share of the ranks, or of their loads"},
      {.name = "--loads",
       .value = "LIST",
       .group = "places",
       .help =
           "work of each rank, in whole numbers: '4,1,1,8*2' (8*2: eight ranks of 2) or a file with one number a line; "
           "places share the work evenly",
       .completes = Completes::files},
      {"--fix", "LIST", "places", "ranks that must be on a place: '0=GPU3,5=12'"}};
}

/// Reads --imbalance, --loads and --fix into the problem. Throws Error(usage), and Error(bad_input) for a file of
/// loads.
void read_constraints(const Arguments& arguments, MapProblem& problem) {
  if (arguments.has("--imbalance")) read_imbalance(arguments, problem);
  if (arguments.has("--loads")) {
    problem.loads = read_loads("--loads", arguments.text("--loads"), problem.traffic.ranks());
    if (!problem.imbalance) problem.imbalance = kImbalanceOfLoads;
  }
  if (arguments.has("--fix"))
    problem.fixed = parse_fixed(problem.topology, problem.traffic.ranks(), arguments.text("--fix"));
}

constexpr std::string_view kList = "list";

std::vector<std::string> mappers_and_list() {
  std::vector<std::string> names = mapper_names();
  names.emplace_back(kList);
  return names;
}

std::vector<std::string> launcher_names() {
  return names_of(launchers());
}

void list_mappers(const Arguments& arguments, Terminal& terminal) {
  if (arguments.has("--json")) {
    JsonWriter writer;
    writer.object().key("schema").value("topowise.mapper-list/1").key("mappers").array();
    for (const Mapper& mapper : mappers())
      writer.object(JsonWriter::Layout::row).key("name").value(mapper.name).key("summary").value(mapper.help).end();
    writer.end().end();
    return terminal.print("{}", std::move(writer).finish());
  }
  Table table({{"mapper"}, {"what it does"}});
  for (const Mapper& mapper : mappers()) table.add({std::string(mapper.name), std::string(mapper.help)});
  terminal.print("{}", table.text(terminal.begin_bold(), terminal.end_bold()));
}

void show(const MapProblem& problem, const MappingResult& result, Terminal& terminal) {
  show_mapping(problem, result.mapping, terminal);
  terminal.print("\n");
  if (!problem.traffic.entries().empty()) {  // distributed traffic is not in this process
    show_levels(problem, ranks_in_order(problem), result.mapping, terminal);
    terminal.print("\n");
  }
  show_result(problem, result, terminal);
}

/// `saved` is the file of the mapping; empty if there is none.
void emit(const std::string& name, const MapProblem& problem, const Mapping& mapping, const std::string& saved,
          Terminal& terminal) {
  const Launcher& launcher = launcher_named(name);
  const Placement placement = place_ranks(mapping, problem.topology);
  std::string text = launcher_text(name, placement, problem.topology);
  if (!saved.empty()) text = with_mapping_file(std::move(text), saved);
  terminal.print(text);
  // Most files begin with a comment that says how to use them; some formats have no comments.
  if (!text.starts_with('#')) terminal.note(fmt::format("use: {}", launcher.use));
  if (const std::string note = launcher.note != nullptr ? launcher.note(placement) : ""; !note.empty())
    terminal.note(note);
  for (const std::string& limit : limits_of(launcher, mapping, problem.topology, placement)) terminal.warn(limit);
}

void deliver(const Arguments& arguments, const MapProblem& problem, MappingResult result, Terminal& terminal) {
  result.made_for.topology = fingerprint(problem.topology);
  MappingResult written = result;  // nothing is proven about a machine whose bonds the source does not show
  written.proven_optimal = result.proven_optimal && !bonds_are_hidden(problem.topology);
  if (arguments.has("--save")) save(arguments, to_json(written, problem.topology), terminal);
  InterruptGuard::search_is_over();
  if (arguments.has("--emit")) {
    emit(arguments.text("--emit"), problem, result.mapping, arguments.text("--save"), terminal);
  } else if (arguments.has("--json")) {
    terminal.print(to_json(written));
  } else if (arguments.text("--save") != "-") {
    show(problem, result, terminal);
  }
}

double hop_share(const Arguments& arguments) {
  const std::string text = arguments.text("--hop-share");
  const std::optional<double> share = parse_double(text);
  if (!share || !(*share >= 0 && *share <= 1))
    throw Arguments::wrong("--hop-share", fmt::format("'{}' is not a number from 0 to 1", printable(text)));
  return *share;
}

std::vector<std::string> weights_names() {
  return {"bytes", "paper", "equal"};
}

/// Puts weights in the place of bytes where that is asked for. True if so.
bool use_weights(const Arguments& arguments, MapProblem& problem, const Terminal& terminal) {
  const std::string weights = arguments.text("--weights");
  if (weights == "bytes") return false;
  const std::optional<Objective> objective = parse_objective(arguments.text("--objective"));
  if (objective.value_or(Objective::hop_bytes) != Objective::hop_bytes)
    throw Arguments::wrong("--objective", "weights are no bytes, which this objective needs", "--objective hop-bytes");
  problem.traffic = replication_weights(problem.traffic, weights == "equal" ? 1 : 10);
  terminal.warn("costs are of weights, not of bytes: 'evaluate' gives those of the mapping");
  return true;
}

std::optional<Seconds> bound_time(const Arguments& arguments) {
  if (arguments.has("--no-bound") && arguments.has("--bound-time"))
    throw usage_error("--no-bound and --bound-time contradict each other");
  if (arguments.has("--no-bound")) return Seconds(0);
  if (!arguments.has("--bound-time")) return std::nullopt;
  return arguments.time("--bound-time");
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const std::string mapper = arguments.text("--mapper");
  if (mapper == kList) {
    list_mappers(arguments, terminal);
    return ExitStatus::done;
  }
  if (arguments.has("--emit") && arguments.has("--json"))
    throw usage_error("--emit and --json both want the standard output", "--save FILE writes the JSON");
  (void)saves_to_output(arguments);
  const Seconds limit = arguments.time("--time-limit");
  if (arguments.has("--distributed")) {
    return map_as_job(arguments, terminal, [&](const MapProblem& problem, const MappingResult& result) {
      deliver(arguments, problem, result, terminal);
    });
  }
  MapProblem problem = read_map_problem(arguments, terminal);
  const auto made_for = fingerprint(problem.traffic);  // of distributed traffic there is none: it is spread out
  const bool weighs = use_weights(arguments, problem, terminal);
  problem.mix.hop_share = hop_share(arguments);
  read_constraints(arguments, problem);
  check_emitted(arguments, problem);
  std::optional<Objective> wanted = parse_objective(arguments.text("--objective"));
  if (weighs && !wanted) wanted = Objective::hop_bytes;
  const ObjectiveChoice choice = choose_objective(problem, {wanted, arguments.has("--metric"), mapper});
  problem.objective = choice.objective;
  problem.spares_hop_bytes = choice.spares_hop_bytes;
  const InterruptGuard guard;
  const MapOptions options{.time_limit = limit,
                           .bound_time = bound_time(arguments),
                           .progress = map_progress(problem.objective, terminal),
                           .stop = &InterruptGuard::flag()};
  MappingResult result = map_ranks(problem, mapper, options);
  result.objective_reason = choice.reason;
  if (weighs) result.weights = arguments.text("--weights");
  result.made_for.traffic = made_for;
  deliver(arguments, problem, std::move(result), terminal);
  return status_of_search(terminal);
}

}  // namespace

Verb map_verb() {
  Verb verb{.name = "map",
            .summary = "choose a place for every rank",
            .description =
                "Chooses the mapping whose messages take the least time by the congestion model. Where link rates are "
                "not known or the problem is large, it puts the ranks that communicate most nearest to each other "
                "instead. Prints the gain over the default, rank i on place i. An interrupt ends the search with the "
                "best mapping so far and exit status 130.",
            .examples = {"topowise map app.traffic live --save app.mapping",
                         "topowise map pattern:stencil2d:4x4:w=3:heavy=0 preset:helios-k80",
                         "topowise map app.traffic node.json --emit openmpi-rankfile > rankfile",
                         "mpirun -n 64 topowise map --distributed app.graph cluster.json --save app.mapping"}};
  verb.operands = map_operands();
  verb.options = map_options();
  const std::vector<Option> constraints = constraint_options();
  verb.options.insert(verb.options.end(), constraints.begin(), constraints.end());
  verb.options.insert(
      verb.options.end(),
      {{.name = "--mapper",
        .value = "NAME",
        .group = "algorithm",
        .help = "'list' explains them",
        .fallback = "auto",
        .choices = mappers_and_list,
        .kind = "mapper"},
       objective_option(),
       {.name = "--weights",
        .value = "NAME",
        .group = "objective",
        .help =
            "what a pair of ranks weighs: its bytes; 1 to 10 in proportion to them, as edges of MPI_Graph_create that "
            "are listed so often (EuroMPI 2011); or all pairs alike",
        .fallback = "bytes",
        .choices = weights_names,
        .kind = "weights"},
       {"--hop-share", "W", "objective", "of 'mix': weight of hop-bytes, the rest is max-congestion's", "0.5"},
       {"--time-limit", "TIME", "algorithm", "how long to search: seconds, or '500ms'", "10s"},
       {"--bound-time", "TIME", "algorithm",
        "how much of that to spend on the lower bound; by default a twentieth, at most 1s"},
       {"--no-bound", "", "algorithm", "do not compute a lower bound"},
       {"--distributed", "", "algorithm", "as an MPI job, each process with a piece of the traffic: needs PT-Scotch"},
       written_file("--save", "write the mapping and its machine as JSON, for 'run --mapping'"),
       {.name = "--emit",
        .value = "LAUNCHER",
        .group = "output",
        .help = "print what a launcher reads",
        .choices = launcher_names,
        .kind = "launcher"},
       json_option()});
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
