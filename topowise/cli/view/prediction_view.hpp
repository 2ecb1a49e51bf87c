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
#include <topowise/predict/congestion/simulate.hpp>

namespace topowise::cli {

/// What slows a message most over its whole way: the cause in the time step that loses most.
struct MessageCause {
  Slowdown slowdown;
  std::optional<std::size_t> other;  ///< index of a message of the exchange
};
[[nodiscard]] std::vector<MessageCause> worst_causes(const ExchangeProblem& problem, CongestionModel& model,
                                                     const Simulation& simulation);

/// Kinds of links by the model that they follow.
struct ModelsOfKinds {
  std::vector<std::string> paper;  ///< kinds that follow the model of Martinasso et al.
  std::vector<std::string> fair;   ///< kinds that follow max-min fair sharing
};
[[nodiscard]] ModelsOfKinds models_of_kinds(const CongestionModel& model);
/// The models that links of the machine follow, such as "pcie-sc16+max-min".
[[nodiscard]] std::string models_used(const CongestionModel& model);
/// Writes the keys "model", "asked_model" (the value of --model) and "link_models".
void write_models(JsonWriter& writer, CongestionModelName asked, const CongestionModel& model);

void show_prediction(const ExchangeProblem& problem, CongestionModel& model, const Simulation& simulation,
                     const std::vector<MessageCause>& causes, Terminal& terminal);
/// Shows one row for each source: when it sends to which destination.
void show_timeline(const ExchangeProblem& problem, const Simulation& simulation, Terminal& terminal);

/// For each time step of the simulation, and each of its messages: the factor after each step of the model.
using StagesOfSteps = std::vector<std::vector<std::optional<FactorStages>>>;
[[nodiscard]] StagesOfSteps stages_of_steps(const ExchangeProblem& problem, CongestionModel& model,
                                            const Simulation& simulation);
/// Shows factors, bytes sent and bytes left for each time step, as in Tables I and II of the paper.
void show_factors(const ExchangeProblem& problem, const CongestionModel& model, const Simulation& simulation,
                  const StagesOfSteps& stages, Terminal& terminal);

/// The JSON of a prediction, as docs/cli.md describes it; `causes` and `stages` may be empty.
[[nodiscard]] std::string prediction_json(const ExchangeProblem& problem, const CongestionModel& model,
                                          const Simulation& simulation, const std::vector<MessageCause>& causes,
                                          const StagesOfSteps& stages);

}  // namespace topowise::cli
