// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/map_arguments.hpp>
#include <topowise/cli/input/mapping_argument.hpp>
#include <topowise/cli/input/typed_command.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/prediction_trace.hpp>
#include <topowise/cli/view/report_view.hpp>
#include <topowise/mapper/constrained/balance.hpp>
#include <topowise/mapper/problem/objective_choice.hpp>

namespace topowise::cli {
namespace {

/// The bound for a mapping that did not come from a search. It ignores the sharing of places that only the mapping's
/// file allows.
std::optional<MappingResult> bound_of(const MapProblem& problem, const Mapping& mapping) {
  MappingResult result = map_ranks(problem, "identity");
  result.mapping = mapping;
  result.cost = evaluate(problem.traffic, problem.topology, mapping, problem.metric).hop_bytes;
  if (result.lower_bound <= 0 || result.lower_bound > result.cost) return std::nullopt;
  result.proven_optimal = result.cost == result.lower_bound && result.contradiction.empty();
  return result;
}

Comparison compare(const Arguments& arguments, MapProblem& problem, const Terminal& terminal) {
  if (const std::string argument = arguments.text("--mapping"); argument != "auto") {
    Mapping mapping = read_mapping(argument, problem, terminal, "auto");
    std::optional<MappingResult> bound = bound_of(problem, mapping);
    return {problem,
            ranks_in_order(problem),
            std::move(mapping),
            fmt::format("The mapping: {}.", argument),
            std::move(bound),
            true};
  }
  const ObjectiveChoice choice = choose_objective(problem, {.objective = parse_objective(arguments.text("--objective")),
                                                            .is_metric_named = arguments.has("--metric")});
  problem.objective = choice.objective;
  problem.spares_hop_bytes = choice.spares_hop_bytes;
  MappingResult result =
      map_ranks(problem, "auto", {.time_limit = arguments.time("--time-limit"), .stop = &InterruptGuard::flag()});
  Mapping mapping = result.mapping;
  const std::string how = fmt::format("Found by topowise (mapper {}, objective {}{}{}).", result.mapper,
                                      result.objective, choice.reason.empty() ? "" : " because ", choice.reason);
  return {problem, ranks_in_order(problem), std::move(mapping), how, std::move(result)};
}

Origin origin_of(const Arguments& arguments, const Terminal& terminal) {
  Origin origin{.traffic = arguments.operand(0), .machine = machine_argument(arguments), .date = page_date()};
  origin.command = typed_command(arguments, "report", [](std::string_view) { return true; });
  const std::string mapping = arguments.text("--mapping");
  if (mapping == "auto" || is_made_mapping(mapping)) {
    origin.remake = typed_command(arguments, "map", [](std::string_view name) {
      return name != "--save" && name != "--mapping" && name != "--trace";
    });
    if (mapping != "auto") origin.remake += " --mapper " + mapping;
  } else {
    origin.mapping = mapping;
  }
  origin.warnings = terminal.warnings();
  return origin;
}

/// Writes the trace of one message for each pair, all at once, under congestion.
void write_trace(const Arguments& arguments, const Comparison& comparison, Terminal& terminal) {
  const Exchange exchange = one_message_a_pair(comparison.problem.traffic);
  CongestionModel model(comparison.problem.topology, CongestionModelName::automatic);
  RateMemo memo(model);
  const Simulation simulation = simulate(memo, exchange, comparison.mapping, RecordSteps::yes);
  save_trace(arguments, prediction_trace(exchange, comparison.mapping, model, simulation), terminal);
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  if (!arguments.has("--save")) throw usage_error("--save is missing", "--save report.html");
  (void)saves_to_output(arguments, Saved::html);
  if (arguments.has("--trace")) (void)traces_to_output(arguments);
  (void)page_date();  // a wrong date is reported before large files are read
  MapProblem problem = read_map_problem(arguments, terminal);
  const InterruptGuard guard;
  const Comparison comparison = compare(arguments, problem, terminal);
  if (arguments.has("--trace")) write_trace(arguments, comparison, terminal);
  save(arguments, report_page(comparison, origin_of(arguments, terminal)), terminal);
  return status_of_search(terminal);
}

}  // namespace

Verb report_verb() {
  Verb verb{.name = "report",
            .summary = "a mapping and what it is worth, on one self-contained page",
            .description =
                "Says in one sentence what the mapping is worth. Draws the machine with its ranks, the load of its "
                "links, and the traffic by level and by pair of places, all before and after. Lists the commands that "
                "put the mapping into effect. The page needs no network, no script and no other file.",
            .examples = {"topowise report app.traffic node.json --save report.html",
                         "topowise report app.traffic node.json --save report.html --trace trace.json",
                         "topowise report app.traffic live --mapping app.mapping --save report.html"}};
  verb.operands = map_operands();
  verb.options = map_options();
  Option mapping = mapping_option();
  mapping.help = "what 'map --save' wrote, or auto, identity, cyclic, random";
  mapping.fallback = "auto";
  verb.options.insert(
      verb.options.end(),
      {mapping,
       objective_option(),
       {"--time-limit", "TIME", "algorithm", "how long to search for a mapping: seconds, or '500ms'", "10s"},
       written_file("--save", "the HTML file to write"),
       written_file("--trace", "a trace for Perfetto: one message for each pair, all at once")});
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
