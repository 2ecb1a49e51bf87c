// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>

#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/input/constraint_options.hpp>
#include <topowise/cli/input/map_problem.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/map_job.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/launcher_limits.hpp>
#include <topowise/cli/view/map_view.hpp>
#include <topowise/graph/fingerprint.hpp>
#include <topowise/graph/json.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/launch/launcher.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/mapper/problem/objective_choice.hpp>
#include <topowise/report/table.hpp>
#include <topowise/topology_source/node/hidden_bonds.hpp>

namespace topowise::cli {
namespace {

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

void emit(const std::string& name, const MapProblem& problem, const Mapping& mapping, Terminal& terminal) {
  const Launcher& launcher = launcher_named(name);
  const Placement placement = place_ranks(mapping, problem.topology);
  const std::string text = launcher_text(name, placement, problem.topology);
  terminal.print(text);
  // Most files begin with a comment that says how to use them; some formats have no comments.
  if (!text.starts_with('#')) terminal.note(fmt::format("use: {}", launcher.use));
  if (const std::string note = launcher.note != nullptr ? launcher.note(placement) : ""; !note.empty())
    terminal.note(note);
  for (const std::string& limit : limits_of(launcher, mapping, problem.topology, placement)) terminal.warn(limit);
}

void deliver(const Arguments& arguments, const MapProblem& problem, MappingResult result, Terminal& terminal) {
  result.made_for.topology = fingerprint(problem.topology);
  if (!arguments.has("--distributed")) result.made_for.traffic = fingerprint(problem.traffic);  // else it is spread out
  MappingResult written = result;  // nothing is proven about a machine whose bonds the source does not show
  written.proven_optimal = result.proven_optimal && !bonds_are_hidden(problem.topology);
  if (arguments.has("--save")) save(arguments, to_json(written, problem.topology), terminal);
  InterruptGuard::search_is_over();
  if (arguments.has("--emit")) {
    emit(arguments.text("--emit"), problem, result.mapping, terminal);
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
  problem.mix.hop_share = hop_share(arguments);
  read_constraints(arguments, problem);
  check_emitted(arguments, problem);
  const ObjectiveChoice choice =
      choose_objective(problem, {parse_objective(arguments.text("--objective")), arguments.has("--metric"), mapper});
  problem.objective = choice.objective;
  const InterruptGuard guard;
  const MapOptions options{.time_limit = limit,
                           .bound_time = bound_time(arguments),
                           .progress = map_progress(problem.objective, terminal),
                           .stop = &InterruptGuard::flag()};
  MappingResult result = map_ranks(problem, mapper, options);
  result.objective_reason = choice.reason;
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
      {{"--mapper", "NAME", "algorithm", "'list' explains them", "auto", mappers_and_list, "mapper",
        Completes::choices},
       objective_option(),
       {"--hop-share", "W", "objective", "of 'mix': weight of hop-bytes, the rest is max-congestion's", "0.5"},
       {"--time-limit", "TIME", "algorithm", "how long to search: seconds, or '500ms'", "10s"},
       {"--bound-time", "TIME", "algorithm",
        "how much of that to spend on the lower bound; by default a twentieth, at most 1s"},
       {"--no-bound", "", "algorithm", "do not compute a lower bound"},
       {"--distributed", "", "algorithm", "as an MPI job, each process with a piece of the traffic: needs PT-Scotch"},
       written_file("--save", "write the mapping and its machine as JSON, for 'run --mapping'"),
       {"--emit",
        "LAUNCHER",
        "output",
        "print what a launcher reads",
        {},
        launcher_names,
        "launcher",
        Completes::choices},
       json_option()});
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
