// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/phases_view.hpp>

#include <algorithm>
#include <numeric>

#include <topowise/cli/interrupt.hpp>
#include <topowise/cli/view/prediction_view.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/predict/congestion/simulate.hpp>
#include <topowise/report/table.hpp>
#include <topowise/schedule/heuristic.hpp>
#include <topowise/schedule/in_order.hpp>

namespace topowise::cli {
namespace {

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

}  // namespace

std::vector<Seconds> phase_times(RateMemo& memo, std::span<const RecordedPhase> phases, const Mapping& mapping) {
  std::vector<Seconds> times;
  times.reserve(phases.size());
  for (const RecordedPhase& phase : phases) times.push_back(simulate(memo, Exchange(phase.messages), mapping).makespan);
  return times;
}

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

std::string phases_json(const PredictedPhases& predicted, const ExchangeProblem& problem,
                        const CongestionModel& model) {
  JsonWriter writer;
  writer.object().key("schema").value("topowise.prediction/1");
  write_models(writer, problem.model, model);
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

}  // namespace topowise::cli
