// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/prediction_view.hpp>

#include <algorithm>
#include <numeric>
#include <set>

#include <topowise/base/plural.hpp>
#include <topowise/report/text_table.hpp>

namespace topowise::cli {
namespace {

constexpr std::size_t kReadable = 64;  ///< messages that are all shown
constexpr std::size_t kLatest = 20;    ///< of more messages, those that end last

std::string describe(const MessageCause& cause, std::span<const Communication> messages) {
  const Slowdown& slowdown = cause.slowdown;
  if (slowdown.rule == SlowdownRule::none) return {};
  std::string text = fmt::format("{}: ", to_string(slowdown.rule));
  if (cause.other) {
    const Communication& other = messages[*cause.other];
    const std::string_view how = slowdown.rule == SlowdownRule::head_of_line ? "behind" : "with";
    text += fmt::format("{} {}->{} ", how, other.source.index(), other.destination.index());
  }
  return text + fmt::format("at port {}", slowdown.port);
}

std::vector<std::size_t> shown_messages(const Simulation& simulation) {
  std::vector<std::size_t> shown(simulation.end.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (shown.size() <= kReadable) return shown;
  std::ranges::stable_sort(shown, std::greater<>(), [&](std::size_t m) { return simulation.end[m]; });
  shown.resize(kLatest);
  return shown;
}

}  // namespace

std::vector<MessageCause> worst_causes(const ExchangeProblem& problem, CongestionModel& model,
                                       const Simulation& simulation) {
  const std::span<const Communication> messages = problem.exchange.communications();
  std::vector<MessageCause> causes(messages.size());
  std::vector<double> most_lost(messages.size(), 0.0);
  for (const TimeStep& step : simulation.steps) {
    std::vector<CongestionModel::Flow> active;
    for (const TimeStep::Factor& factor : step.factors) {
      const Communication& message = messages[factor.message];
      active.push_back(model.flow(problem.mapping[message.source], problem.mapping[message.destination]));
    }
    const std::vector<Slowdown> slowdowns = explain(model, active);
    for (std::size_t i = 0; i < slowdowns.size(); ++i) {
      const std::uint32_t message = step.factors[i].message;
      const double lost = (step.end.value() - step.start.value()) * (1 - slowdowns[i].share);
      if (slowdowns[i].rule == SlowdownRule::none || lost <= most_lost[message]) continue;
      most_lost[message] = lost;
      causes[message] = {slowdowns[i], {}};
      if (slowdowns[i].other) causes[message].other = step.factors[*slowdowns[i].other].message;
    }
  }
  return causes;
}

void show_prediction(const ExchangeProblem& problem, CongestionModel& model, const Simulation& simulation,
                     const std::vector<MessageCause>& causes, Terminal& terminal) {
  using Align = Table::Align;
  const std::span<const Communication> messages = problem.exchange.communications();
  terminal.print("{} end{} after {} (predicted, model {}, {})\n\n", counted(messages.size(), "message"),
                 messages.size() == 1 ? "s" : "", terminal.bold(to_string(simulation.makespan)), models_used(model),
                 counted(simulation.step_count, "event"));
  Table table({{"message", Align::left},
               {"bytes", Align::right},
               {"begin", Align::right},
               {"end", Align::right},
               {"alone", Align::right},
               {"slower", Align::right},
               {"most time lost to", Align::left}});
  for (const std::size_t m : shown_messages(simulation)) {
    const Communication& message = messages[m];
    const Place from = problem.mapping[message.source];
    const Place to = problem.mapping[message.destination];
    double alone = 0;
    if (from != to) {
      const CongestionModel::Flow flow = model.flow(from, to);
      alone = message.bytes.value() / model.rate_alone(flow) + model.latency(flow).value();
    }
    const double took = simulation.end[m].value() - simulation.begin[m].value();
    table.add({fmt::format("{}->{}", message.source.index(), message.destination.index()), to_string(message.bytes),
               to_string(simulation.begin[m]), to_string(simulation.end[m]), to_string(Seconds(alone)),
               alone > 0 ? fmt::format("{:.2f}x", took / alone) : "",
               causes.empty() ? "" : describe(causes[m], messages)});
  }
  terminal.print("{}", table.text(terminal.begin_bold(), terminal.end_bold()));
  if (messages.size() > kReadable) terminal.print("the {} that end last are shown; --json has all\n", kLatest);
}

void show_timeline(const ExchangeProblem& problem, const Simulation& simulation, Terminal& terminal) {
  const std::span<const Communication> messages = problem.exchange.communications();
  std::set<std::size_t> sources;
  for (const Communication& message : messages) sources.insert(message.source.index());
  if (simulation.makespan.value() <= 0 || sources.size() > kReadable) return;
  const std::size_t width = std::clamp<std::size_t>(terminal.width(), 40, 120) - 12;
  terminal.print("\nwho sends to whom, {} from left to right (the digit is the last one of the destination)\n",
                 to_string(simulation.makespan));
  for (const std::size_t source : sources) {
    std::string row(width, '.');
    for (std::size_t m = 0; m < messages.size(); ++m) {
      if (messages[m].source.index() != source) continue;
      const auto column = [&](Seconds time) {
        return static_cast<std::size_t>(time.value() / simulation.makespan.value() * static_cast<double>(width));
      };
      const char mark = static_cast<char>('0' + messages[m].destination.index() % 10);
      for (std::size_t x = column(simulation.begin[m]); x < std::min(width, column(simulation.end[m])); ++x)
        row[x] = mark;
    }
    terminal.print("{:>7} |{}|\n", source, row);
  }
}

}  // namespace topowise::cli
