// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/objective.hpp>

#include <array>

#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/predict/objective/link_load.hpp>
#include <topowise/predict/objective/predicted_time.hpp>

namespace topowise {
namespace {

constexpr std::array<std::string_view, 4> kNames{"hop-bytes", "max-congestion", "predicted-time", "mix"};

}  // namespace

std::string_view to_string(Objective objective) {
  return kNames[static_cast<std::size_t>(objective)];
}

std::optional<Objective> parse_objective(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Objective>(i);
  }
  return std::nullopt;
}

double evaluate(Objective objective, const Traffic& traffic, const Topology& topology, const Mapping& mapping,
                Metric metric, const ObjectiveMix& mix) {
  switch (objective) {
    case Objective::hop_bytes:
      return hop_bytes(traffic, topology, mapping, metric);
    case Objective::max_congestion:
      return max_congestion(topology, link_load(traffic, topology, mapping)).seconds.value();
    case Objective::predicted_time:
      return PredictedTime(traffic, topology)(mapping).value();
    case Objective::mix:
      return mix.hop_share / mix.hop_bytes * evaluate(Objective::hop_bytes, traffic, topology, mapping, metric) +
             (1 - mix.hop_share) / mix.congestion *
                 evaluate(Objective::max_congestion, traffic, topology, mapping, metric);
  }
  return 0;
}

}  // namespace topowise
