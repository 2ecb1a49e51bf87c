// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/evaluate.hpp>

#include <fmt/format.h>

#include <topowise/predict/congestion/assumptions.hpp>
#include <topowise/predict/objective/group_spread.hpp>
#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/predict/objective/link_load.hpp>
#include <topowise/predict/objective/predicted_time.hpp>

namespace topowise {
namespace {

/// A simulation of more messages would take longer than a user waits for a table.
constexpr std::size_t kMostMessages = 20000;

void tell_unknown(Evaluation& numbers, const std::string& why) {
  numbers.unknown += (numbers.unknown.empty() ? "" : "; ") + why;
}

/// Leaves a number empty if it cannot be known, and says why.
template <class Computation>
void fill_in(Evaluation& numbers, std::string_view what, const Computation& compute) {
  try {
    compute();
  } catch (const Error& error) {
    tell_unknown(numbers, fmt::format("{} is not known: {}", what, error.what()));
  }
}

}  // namespace

Evaluation evaluate(const Traffic& traffic, const Topology& machine, const Mapping& mapping, Metric metric) {
  if (mapping.ranks() < traffic.ranks())
    throw bad_input(fmt::format("the mapping has {} ranks, but the traffic {}", mapping.ranks(), traffic.ranks()));
  Evaluation numbers;
  numbers.hop_bytes = hop_bytes(traffic, machine, mapping, metric);
  const Dilation hops = dilation(traffic, machine, mapping, metric);
  numbers.average_dilation = hops.average;
  numbers.max_dilation = hops.max;
  numbers.spread = group_spread(traffic, machine, mapping);
  fill_in(numbers, "max congestion", [&] {
    numbers.link_load = link_load(traffic, machine, mapping);
    const MaxCongestion congestion = max_congestion(machine, numbers.link_load);
    numbers.max_congestion = congestion.seconds;
    numbers.fullest_link = congestion.fullest;
  });
  if (traffic.entries().size() > kMostMessages) {
    tell_unknown(numbers,
                 fmt::format("no predicted time for more than {} messages; 'topowise predict' has it", kMostMessages));
  } else {
    fill_in(numbers, "the predicted time", [&] { numbers.predicted_time = PredictedTime(traffic, machine)(mapping); });
  }
  const bool about_rates = numbers.max_congestion || numbers.predicted_time || metric == Metric::bandwidth;
  numbers.assumptions = assumptions_of(machine, about_rates ? pairs_that_talk(traffic, mapping) : PairsOfPlaces());
  return numbers;
}

}  // namespace topowise
