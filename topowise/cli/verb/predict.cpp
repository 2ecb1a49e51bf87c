// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/exchange_argument.hpp>
#include <topowise/cli/input/mapping_argument.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/phases_view.hpp>
#include <topowise/cli/view/prediction_trace.hpp>
#include <topowise/cli/view/prediction_view.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::cli {
namespace {

/// Which model each kind of link follows, in one line.
std::string models_of_links(const CongestionModel& model) {
  const auto [paper, fair] = models_of_kinds(model);
  std::string text;
  if (!paper.empty()) text += fmt::format("PCIe congestion model on links of kind {}", fmt::join(paper, ", "));
  if (!fair.empty())
    text += fmt::format("{}max-min fair sharing on links of kind {}", text.empty() ? "" : "; ", fmt::join(fair, ", "));
  return text;
}

void check_combination(const Arguments& arguments) {
  if (!arguments.has("--phases")) {
    if (arguments.has("--gap")) throw Arguments::wrong("--gap", "only phases have a silence between them", "--phases");
    if (arguments.has("--best-order"))
      throw Arguments::wrong("--best-order", "it is about phases, with --phases",
                             "topowise schedule finds the best order of one exchange");
    return;
  }
  for (const char* option : {"--messages", "--order", "--explain", "--factors", "--timeline", "--trace"}) {
    if (arguments.has(option))
      throw Arguments::wrong("--phases", fmt::format("'{}' is about one exchange, not about phases", option),
                             "leave one of the two out");
  }
}

ExitStatus run_phases(const Arguments& arguments, Terminal& terminal) {
  if (!arguments.has_operand(1)) throw usage_error("it takes a profile and TOPOLOGY", arguments.verb().usage());
  const PhaseReading reading = read_recorded_phases(arguments.operand(0), arguments.time("--gap"),
                                                    {.format = {},
                                                     .collectives = arguments.text("--collectives"),
                                                     .memory = arguments.text("--memory"),
                                                     .run = arguments.text("--run")});
  for (const Diagnostic& warning : reading.warnings) terminal.warn(warning);
  const std::span<const RecordedPhase> phases = reading.recorded.phases;
  std::vector<Communication> all;  // all messages, so that the mapping has a place for every rank of every phase
  for (const RecordedPhase& phase : phases) all.insert(all.end(), phase.messages.begin(), phase.messages.end());
  const ExchangeProblem problem = exchange_problem(arguments, Exchange(std::move(all)), arguments.operand(1), terminal);
  CongestionModel model(problem.topology, problem.model, problem.parameters);
  RateMemo memo(model);
  PredictedPhases predicted{phases, phase_times(memo, phases, problem.mapping), {}, {}};
  MapProblem unmapped{.traffic = Traffic::from_entries(problem.mapping.ranks(), {}), .topology = problem.topology};
  if (problem.mapping.ranks() > problem.topology.capacity())
    unmapped.ranks_per_place = most_on_a_place(problem.mapping, problem.topology);
  const Mapping identity = map_ranks(unmapped, "identity").mapping;
  if (identity != problem.mapping) predicted.identity = phase_times(memo, phases, identity);
  const InterruptGuard guard;
  if (arguments.has("--best-order"))
    predicted.best_order = phase_times_in_best_order(model, phases, problem.mapping, predicted.times);
  InterruptGuard::search_is_over();
  if (arguments.has("--json")) {
    terminal.print("{}", phases_json(predicted, problem, model));
    return status_of_search(terminal);
  }
  show_phases(predicted, model, terminal);
  terminal.print("\n{}\n", models_of_links(model));
  return status_of_search(terminal);
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  check_combination(arguments);
  if (arguments.has("--phases")) return run_phases(arguments, terminal);
  const bool trace_only = arguments.has("--trace") && traces_to_output(arguments);
  const ExchangeProblem problem = read_exchange_problem(arguments, terminal);
  CongestionModel model(problem.topology, problem.model, problem.parameters);
  RateMemo memo(model);
  const bool wants_steps =
      arguments.has("--json") || arguments.has("--trace") || arguments.has("--explain") || arguments.has("--factors");
  const Simulation simulation =
      simulate(memo, problem.exchange, problem.mapping, wants_steps ? RecordSteps::yes : RecordSteps::no);
  std::vector<MessageCause> causes;
  if (arguments.has("--explain")) causes = worst_causes(problem, model, simulation);
  StagesOfSteps stages;
  if (arguments.has("--factors")) stages = stages_of_steps(problem, model, simulation);
  if (arguments.has("--trace"))
    save_trace(arguments, prediction_trace(problem.exchange, problem.mapping, model, simulation), terminal);
  if (trace_only) return ExitStatus::done;
  if (arguments.has("--json")) {
    terminal.print("{}", prediction_json(problem, model, simulation, causes, stages));
    return ExitStatus::done;
  }
  show_prediction(problem, model, simulation, causes, terminal);
  if (arguments.has("--factors")) show_factors(problem, model, simulation, stages, terminal);
  if (arguments.has("--timeline")) show_timeline(problem, simulation, terminal);
  terminal.print("\n{}\n", models_of_links(model));
  if (!problem.order.empty()) terminal.print("each rank sends in this order: {}\n", problem.order);
  return ExitStatus::done;
}

}  // namespace

Verb predict_verb() {
  Verb verb{
      .name = "predict",
      .summary = "communication times under congestion",
      .description =
          "Simulates the messages on the links of the machine: every source sends one message at a time, "
          "in the order of start time, then of the list. On PCIe trees the times follow the congestion "
          "model of Martinasso et al. (SC'16), on other links max-min fair sharing. With --phases EXCHANGE is a "
          "profile that was recorded with a trace: its bursts of messages are predicted one by one, equal ones "
          "once.",
      .examples = {"topowise predict preset:cs-storm-t2 --messages '0->2:300MB 1->4:300MB 3->2:300MB' --explain",
                   "topowise predict pattern:halo2d:2x4:bytes=300MB preset:cs-storm-t2 --timeline",
                   "topowise predict exchange.json node.json --mapping app.mapping --trace trace.json",
                   "topowise predict app.traffic node.json --phases --gap 500us --mapping app.mapping --best-order"}};
  verb.operands = exchange_operands();
  verb.options = exchange_options();
  verb.options.insert(
      verb.options.end(),
      {{"--phases", "", "input", "predict each phase of a profile with a trace, and the run"},
       {"--gap", "TIME", "input", "how long all ranks are silent between two phases", "1ms"},
       {"--best-order", "", "input", "also predict phases with each source's messages in the best order"},
       {"--explain", "", "output", "which port, message and rule slows each message"},
       {"--factors", "", "output", "the congestion factor of each message, by step of the model and of time"},
       {"--timeline", "", "output", "who sends when, as text"},
       written_file("--trace",
                    "write a trace for Perfetto: a track for each rank, a track and a counter for each link"),
       json_option()});
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
