// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <topowise/cli/input/exchange_argument.hpp>
#include <topowise/cli/input/mapping_argument.hpp>
#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/save.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/verbs.hpp>
#include <topowise/cli/view/prediction_trace.hpp>
#include <topowise/cli/view/prediction_view.hpp>
#include <topowise/cli/view/rests_on.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/predict/congestion/rate_memo.hpp>
#include <topowise/predict/congestion/simulate.hpp>
#include <topowise/report/text_table.hpp>
#include <topowise/schedule/heuristic.hpp>
#include <topowise/schedule/in_order.hpp>
#include <topowise/traffic_source/recorded/phases.hpp>
#include <topowise/traffic_source/source.hpp>

namespace topowise::cli {
namespace {

// The predicted times of the phases of a recorded run, as table and JSON.

/// Phases with the time of one occurrence each. `identity` has the times for rank i on place i, unless the mapping is
/// the identity itself.
struct PredictedPhases {
  std::span<const RecordedPhase> phases;
  std::vector<Seconds> times;
  std::optional<std::vector<Seconds>> identity;
  std::optional<std::vector<Seconds>> best_order;  ///< if asked for
  std::vector<std::string> assumptions;            ///< what all of these times rest on
};

constexpr std::size_t kReadable = 64;  ///< phases that are all shown
constexpr std::size_t kLongest = 20;   ///< of more phases, those that take the most time in all

Bytes bytes_of(const RecordedPhase& phase) {
  Bytes sum;
  for (const Communication& message : phase.messages) sum += message.bytes;
  return sum;
}

Seconds all_of(const RecordedPhase& phase, Seconds one) {
  return one * static_cast<double>(phase.occurrences);
}

Seconds total(std::span<const RecordedPhase> phases, std::span<const Seconds> times) {
  Seconds sum;
  for (std::size_t p = 0; p < phases.size(); ++p) sum += all_of(phases[p], times[p]);
  return sum;
}

std::vector<std::size_t> shown_phases(const PredictedPhases& predicted) {
  std::vector<std::size_t> shown(predicted.phases.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (shown.size() <= kReadable) return shown;
  std::ranges::stable_sort(shown, std::greater<>(),
                           [&](std::size_t p) { return all_of(predicted.phases[p], predicted.times[p]); });
  shown.resize(kLongest);
  return shown;
}

/// The seconds of one occurrence of each phase, all of whose messages are ready when it begins.
std::vector<Seconds> phase_times(RateMemo& memo, std::span<const RecordedPhase> phases, const Mapping& mapping) {
  std::vector<Seconds> times;
  times.reserve(phases.size());
  for (const RecordedPhase& phase : phases) times.push_back(simulate(memo, Exchange(phase.messages), mapping).makespan);
  return times;
}

/// The same times with the messages of every source in the order that ends first, as far as a search of bounded work
/// finds it. They are never above `given`, the times in the recorded order.
std::vector<Seconds> phase_times_in_best_order(CongestionModel& model, std::span<const RecordedPhase> phases,
                                               const Mapping& mapping, std::span<const Seconds> given) {
  constexpr std::uint64_t kSteps = 20'000'000;  // for all phases together
  SearchLimits limits;
  limits.steps = kSteps / std::max<std::size_t>(1, phases.size());
  limits.stop = [] { return InterruptGuard::interrupted(); };
  std::vector<Seconds> times;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const Exchange exchange(phases[p].messages);
    OrderProblem problem(model, exchange, mapping);
    RateMemo memo(model);
    const Exchange best = in_order(exchange, problem, best_order(problem, 1, limits).order);
    times.push_back(std::min(given[p], simulate(memo, best, mapping).makespan));
  }
  return times;
}

void show_phases(const PredictedPhases& predicted, const CongestionModel& model, Terminal& terminal) {
  using Align = Table::Align;
  const std::span<const RecordedPhase> phases = predicted.phases;
  const Seconds in_all = total(phases, predicted.times);
  std::uint64_t occurrences = 0;
  for (const RecordedPhase& phase : phases) occurrences += phase.occurrences;
  terminal.print("{} phase{} of {} kind{}: {} (predicted, model {})\n", occurrences, occurrences == 1 ? "" : "s",
                 phases.size(), phases.size() == 1 ? "" : "s", terminal.bold(to_string(in_all)), models_used(model));
  if (predicted.identity) terminal.print("identity: {}\n", to_string(total(phases, *predicted.identity)));
  if (predicted.best_order) {
    const Seconds best = total(phases, *predicted.best_order);
    terminal.print("in the best order of messages: {}{}\n", to_string(best),
                   best > Seconds() ? fmt::format(" ({:.2f}x)", in_all / best) : "");
  }
  Table table({{"phase", Align::right},
               {"first at", Align::right},
               {"times", Align::right},
               {"messages", Align::right},
               {"bytes", Align::right},
               {"one", Align::right},
               {"all", Align::right},
               {"share", Align::right},
               {"one, identity", Align::right},
               {"one, best order", Align::right}});
  for (const std::size_t p : shown_phases(predicted)) {
    const Seconds all = all_of(phases[p], predicted.times[p]);
    table.add({std::to_string(p + 1), to_string(phases[p].first_time), std::to_string(phases[p].occurrences),
               std::to_string(phases[p].messages.size()), to_string(bytes_of(phases[p])), to_string(predicted.times[p]),
               to_string(all), in_all > Seconds() ? fmt::format("{:.1f}%", 100 * (all / in_all)) : "",
               predicted.identity ? to_string((*predicted.identity)[p]) : "",
               predicted.best_order ? to_string((*predicted.best_order)[p]) : ""});
  }
  if (!table.empty()) terminal.print("\n{}", table.text(terminal.begin_bold(), terminal.end_bold()));
  if (phases.size() > kReadable) terminal.print("the {} that take most are shown; --json has all\n", kLongest);
}

/// The JSON of the phases, as docs/cli.md describes it.
std::string phases_json(const PredictedPhases& predicted, const ExchangeProblem& problem,
                        const CongestionModel& model) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.prediction/1");
  write_models(writer, problem.model, model);
  write_assumptions(writer, predicted.assumptions);
  writer.key("total_s").value(total(predicted.phases, predicted.times).value());
  if (predicted.identity) writer.key("identity_total_s").value(total(predicted.phases, *predicted.identity).value());
  if (predicted.best_order)
    writer.key("best_order_total_s").value(total(predicted.phases, *predicted.best_order).value());
  writer.key("phases").array();
  for (std::size_t p = 0; p < predicted.phases.size(); ++p) {
    const RecordedPhase& phase = predicted.phases[p];
    writer.object(JsonWriter::Layout::row).key("first_s").value(phase.first_time.value());
    writer.key("occurrences").value(phase.occurrences).key("messages").value(phase.messages.size());
    writer.key("bytes").value(bytes_of(phase).value()).key("makespan_s").value(predicted.times[p].value());
    if (predicted.identity) writer.key("identity_makespan_s").value((*predicted.identity)[p].value());
    if (predicted.best_order) writer.key("best_order_makespan_s").value((*predicted.best_order)[p].value());
    writer.end();
  }
  writer.end().end();
  return std::move(writer).finish();
}

/// Which model each kind of link follows, in one line.
std::string models_of_links(const CongestionModel& model) {
  const auto [paper, fair] = models_of_kinds(model);
  std::string text;
  if (!paper.empty()) text += fmt::format("PCIe congestion model on links of kind {}", fmt::join(paper, ", "));
  if (!fair.empty())
    text += fmt::format("{}max-min fair sharing on links of kind {}", text.empty() ? "" : "; ", fmt::join(fair, ", "));
  if (model.startup() > Seconds()) text += fmt::format("; start-up of each message {}", to_string(model.startup()));
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
  if (arguments.has("--startup")) model.set_startup(arguments.time("--startup"));
  RateMemo memo(model);
  PredictedPhases predicted{phases, phase_times(memo, phases, problem.mapping), {}, {}, {}};
  MapProblem unmapped{.traffic = Traffic::from_entries(problem.mapping.ranks(), {}), .topology = problem.topology};
  if (problem.mapping.ranks() > problem.topology.capacity())
    unmapped.ranks_per_place = most_on_a_place(problem.mapping, problem.topology);
  const Mapping identity = map_ranks(unmapped, "identity").mapping;
  if (identity != problem.mapping) predicted.identity = phase_times(memo, phases, identity);
  predicted.assumptions = assumptions_of(problem, &identity);
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
  show_assumptions(predicted.assumptions, terminal);
  return status_of_search(terminal);
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  check_combination(arguments);
  if (arguments.has("--phases")) return run_phases(arguments, terminal);
  const bool trace_only = arguments.has("--trace") && traces_to_output(arguments);
  const ExchangeProblem problem = read_exchange_problem(arguments, terminal);
  CongestionModel model(problem.topology, problem.model, problem.parameters);
  if (arguments.has("--startup")) model.set_startup(arguments.time("--startup"));
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
  show_assumptions(assumptions_of(problem), terminal);
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
       {"--startup", "TIME", "model", "what each message takes at its sender before it occupies links, such as 10us"},
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
