// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/evaluation.hpp>

#include <fmt/format.h>

#include <topowise/base/error.hpp>
#include <topowise/predict/objective/predicted_time.hpp>

namespace topowise::cli {
namespace {

/// A simulation of more messages would take longer than a user waits for a table.
constexpr std::size_t kMostMessages = 20000;

}  // namespace

Evaluation evaluate_all(const MapProblem& problem, const Mapping& mapping) {
  Evaluation numbers;
  numbers.hop_bytes = hop_bytes(problem.traffic, problem.topology, mapping, problem.metric);
  numbers.dilation = dilation(problem.traffic, problem.topology, mapping, problem.metric);
  try {
    numbers.link_load = link_load(problem.traffic, problem.topology, mapping);
    numbers.congestion = max_congestion(problem.topology, numbers.link_load);
    if (problem.traffic.entries().size() <= kMostMessages)
      numbers.predicted = PredictedTime(problem.traffic, problem.topology)(mapping);
    else
      numbers.unknown =
          fmt::format("no predicted time for more than {} messages; 'topowise predict' has it", kMostMessages);
  } catch (const Error& error) {
    numbers.unknown =
        fmt::format("{} is not known: {}", numbers.congestion ? "the predicted time" : "max congestion", error.what());
  }
  return numbers;
}

}  // namespace topowise::cli
