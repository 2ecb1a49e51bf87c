// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <topowise/cli/view/prediction_view.hpp>
#include <topowise/report/text_table.hpp>

namespace topowise::cli {
namespace {

constexpr std::size_t kReadableSteps = 40;

std::string number(double factor) {
  return fmt::format("{:.3f}", factor);
}

}  // namespace

StagesOfSteps stages_of_steps(const ExchangeProblem& problem, CongestionModel& model, const Simulation& simulation) {
  const std::span<const Communication> messages = problem.exchange.communications();
  StagesOfSteps all;
  for (const TimeStep& step : simulation.steps) {
    std::vector<CongestionModel::Flow> active;
    for (const TimeStep::Factor& factor : step.factors) {
      const Communication& message = messages[factor.message];
      active.push_back(model.flow(problem.mapping[message.source], problem.mapping[message.destination]));
    }
    all.push_back(factor_stages(model, active));
  }
  return all;
}

void show_factors(const ExchangeProblem& problem, const CongestionModel& model, const Simulation& simulation,
                  const StagesOfSteps& stages, Terminal& terminal) {
  using Align = Table::Align;
  const std::span<const Communication> messages = problem.exchange.communications();
  std::vector<double> left;
  for (const Communication& message : messages) left.push_back(message.bytes.value());
  for (std::size_t s = 0; s < std::min(simulation.steps.size(), kReadableSteps); ++s) {
    const TimeStep& step = simulation.steps[s];
    terminal.print("\nstep {}: {} to {}\n", s + 1, to_string(step.start), to_string(step.end));
    Table table({{"message"},
                 {"A source", Align::right},
                 {"B upstream", Align::right},
                 {"C downstream", Align::right},
                 {"D head of line", Align::right},
                 {"D freed", Align::right},
                 {"factor", Align::right},
                 {"sent", Align::right},
                 {"left", Align::right}});
    for (std::size_t i = 0; i < step.factors.size(); ++i) {
      const auto [message, factor] = step.factors[i];
      const double sent = factor * model.unit().value() * (step.end - step.start).value();
      left[message] = std::max(0.0, left[message] - sent);
      // Bytes that only rounding leaves count as none.
      const bool ended = simulation.end[message] <= step.end;
      std::vector<std::string> row{
          fmt::format("{}->{}", messages[message].source.index(), messages[message].destination.index())};
      if (const std::optional<FactorStages>& of = stages[s][i]) {
        for (const double stage : {of->source, of->upstream, of->downstream, of->head_of_line, of->freed})
          row.push_back(number(stage));
      } else {
        row.insert(row.end(), 5, "");
      }
      row.insert(row.end(), {number(factor), to_string(Bytes(sent)), to_string(Bytes(ended ? 0.0 : left[message]))});
      table.add(std::move(row));
    }
    terminal.print("{}", table.text(terminal.begin_bold(), terminal.end_bold()));
  }
  if (simulation.steps.size() > kReadableSteps)
    terminal.print("\nthe first {} of {} steps are shown; --json has all\n", kReadableSteps, simulation.steps.size());
}

}  // namespace topowise::cli
