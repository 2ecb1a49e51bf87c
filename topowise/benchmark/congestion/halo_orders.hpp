// SPDX-License-Identifier: BSD-3-Clause
// How much the order of the messages of a halo exchange matters on a machine (Martinasso et al., SC'16, section VIII).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <topowise/base/units.hpp>
#include <topowise/predict/congestion/congestion_model.hpp>
#include <topowise/report/curve_chart.hpp>

namespace topowise::benchmark {

/// Orders of equal time in which all ranks serve their neighbours in the same order of directions.
struct UniformOrders {
  std::string directions;  ///< the first of them: "N,S,W,E" in two dimensions, "0-,0+,1-,..." in others
  std::size_t count = 0;
  Seconds time;
};

/// Times, without latency, of one exchange of a grid with open boundaries, with rank r on place r.
struct HaloTimes {
  double orders = 0;  ///< how many there are
  Seconds alone;      ///< time of one message on the widest link
  Seconds fastest;
  bool proven = false;                     ///< no order is faster
  std::optional<Seconds> median, slowest;  ///< nothing unless all orders were tried
  std::vector<UniformOrders> uniform;      ///< fastest first; empty for more than three dimensions
  std::vector<CurvePoint> curve;           ///< percent of all orders, time as a multiple of `alone`
};

/// Tries all orders if there are at most ten million, else searches for the fastest. Throws Error(bad_input) for a
/// machine with fewer places than the grid has ranks.
[[nodiscard]] HaloTimes halo_times(CongestionModel& model, std::span<const int> extents, Bytes bytes);

/// "N,S,E,W" or "0-,0+,1+,1-": what halo() takes. Throws Error(usage) for what is no permutation of the directions.
[[nodiscard]] std::vector<int> parse_directions(std::string_view text, std::size_t dimensions);

/// A halo exchange that a program repeats.
struct HaloPhase {
  std::size_t exchanges = 0;
  Bytes bytes;    ///< size of a message
  Seconds given;  ///< time of one exchange in the program's order of directions, with latency
  Seconds best;   ///< time of one exchange in the fastest order
};
/// Predicts both times of phases of which `exchanges` and `bytes` are known.
void predict_phases(CongestionModel& model, std::span<const int> extents, std::span<const int> directions,
                    std::vector<HaloPhase>& phases);

}  // namespace topowise::benchmark
