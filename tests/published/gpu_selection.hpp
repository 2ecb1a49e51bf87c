// SPDX-License-Identifier: BSD-3-Clause
// The microbenchmarks of Faraji, Mirsadeghi and Afsahi, "Topology-Aware GPU Selection on Multi-GPU Nodes" (AsHES 2016),
// on their machine, predicted by the model. Their figures 3 and 4 show measured values.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/mapper/mapper.hpp>
#include <topowise/predict/objective/predicted_time.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>
#include <topowise/traffic_source/pattern/pattern.hpp>

namespace topowise::testing {

struct Microbenchmark {
  std::string_view name;     ///< the paper's name
  std::string_view pattern;  ///< the dimension that is heavy in the weighted case comes first
};
inline constexpr std::array<Microbenchmark, 4> kMicrobenchmarks{{{"2D Stencil", "stencil2d:4x4"},
                                                                 {"2D Torus", "torus2d:4x4"},
                                                                 {"3D Torus", "torus3d:4x2x2"},
                                                                 {"4D Hypercube", "hypercube:4"}}};

/// "distance", "latency" and "bandwidth" minimise hop-bytes under that metric, "predicted-time" the time itself.
inline constexpr std::array<std::string_view, 4> kSelections{"distance", "latency", "bandwidth", "predicted-time"};

/// One microbenchmark with one weight and message size.
struct SelectionRow {
  const Microbenchmark* benchmark = nullptr;
  int weight = 1;                                        ///< of the heavy dimension
  double bytes = 0;                                      ///< bytes of a message along the other dimensions
  Seconds identity;                                      ///< predicted for rank i on GPU i
  std::array<double, kSelections.size()> improvement{};  ///< 1 - time / identity, in the order of kSelections
};

inline Traffic microbenchmark_traffic(const Microbenchmark& benchmark, int weight, double bytes) {
  return pattern_traffic("pattern:" + std::string(benchmark.pattern) + ":heavy=0:w=" + std::to_string(weight) +
                         ":bytes=" + std::to_string(static_cast<long long>(bytes)));
}

/// Predicts the time of the default mapping and of the mapping that each selection chooses. `effort` is that of
/// MapOptions.
inline SelectionRow select_gpus(const Microbenchmark& benchmark, int weight, double bytes, double effort) {
  const Topology machine = read_preset("helios-k80");
  MapProblem problem{.traffic = microbenchmark_traffic(benchmark, weight, bytes), .topology = machine};
  PredictedTime time(problem.traffic, machine);
  SelectionRow row{&benchmark, weight, bytes, time(map_ranks(problem, "identity").mapping), {}};
  for (std::size_t i = 0; i < kSelections.size(); ++i) {
    if (kSelections[i] == "predicted-time") {
      problem.objective = Objective::predicted_time;
      problem.metric = Metric::distance;
    } else {
      problem.metric = *parse_metric(kSelections[i]);
    }
    row.improvement[i] = 1 - time(map_ranks(problem, "auto", {.effort = effort}).mapping) / row.identity;
  }
  return row;
}

}  // namespace topowise::testing
