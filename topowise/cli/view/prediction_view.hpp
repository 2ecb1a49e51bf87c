// SPDX-License-Identifier: BSD-3-Clause
// A prediction as table, timeline, JSON and trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/cli/input/exchange_argument.hpp>
#include <topowise/graph/json/writer.hpp>
#include <topowise/predict/congestion/congestion_model.hpp>
#include <topowise/predict/congestion/explain.hpp>
#include <topowise/predict/congestion/factor_stages.hpp>
#include <topowise/predict/congestion/simulate.hpp>

namespace topowise::cli {

/// What slows a message most, over its whole way: the step that loses most time.
struct MessageCause {
  Slowdown slowdown;
  std::optional<std::size_t> other;  ///< index of a message of the exchange
};
[[nodiscard]] std::vector<MessageCause> worst_causes(const ExchangeProblem& problem, CongestionModel& model,
                                                     const Simulation& simulation);

/// Kinds of links by the model that they follow.
struct ModelsOfKinds {
  std::vector<std::string> paper;  ///< of Martinasso et al.
  std::vector<std::string> fair;   ///< max-min fair sharing
};
[[nodiscard]] ModelsOfKinds models_of_kinds(const CongestionModel& model);
/// "pcie-sc16+max-min": the models that links of the machine follow.
[[nodiscard]] std::string models_used(const CongestionModel& model);
/// As the keys "model", "asked_model" (the value of --model) and "link_models".
void write_models(JsonWriter& writer, CongestionModelName asked, const CongestionModel& model);

void show_prediction(const ExchangeProblem& problem, CongestionModel& model, const Simulation& simulation,
                     const std::vector<MessageCause>& causes, Terminal& terminal);
/// One row a source: who gets what when.
void show_timeline(const ExchangeProblem& problem, const Simulation& simulation, Terminal& terminal);

/// Of each time step of the simulation, of each of its messages, what the model's steps make of its factor.
using StagesOfSteps = std::vector<std::vector<std::optional<FactorStages>>>;
[[nodiscard]] StagesOfSteps stages_of_steps(const ExchangeProblem& problem, CongestionModel& model,
                                            const Simulation& simulation);
/// As Tables I and II of the paper: factors, bytes sent and left, time step by time step.
void show_factors(const ExchangeProblem& problem, const CongestionModel& model, const Simulation& simulation,
                  const StagesOfSteps& stages, Terminal& terminal);

/// docs/cli.md; `causes` and `stages` may be empty.
[[nodiscard]] std::string prediction_json(const ExchangeProblem& problem, const CongestionModel& model,
                                          const Simulation& simulation, const std::vector<MessageCause>& causes,
                                          const StagesOfSteps& stages);

}  // namespace topowise::cli
