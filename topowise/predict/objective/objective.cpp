// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/objective.hpp>

#include <topowise/predict/objective/hop_bytes.hpp>
#include <topowise/predict/objective/link_load.hpp>
#include <topowise/predict/objective/predicted_time.hpp>

namespace topowise {

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
