// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/metric.hpp>

#include <array>

namespace topowise {
namespace {

constexpr std::array<std::string_view, 4> kNames{"distance", "latency", "bandwidth", "hops"};

}  // namespace

std::string_view to_string(Metric metric) {
  return kNames[static_cast<std::size_t>(metric)];
}
std::optional<Metric> parse_metric(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Metric>(i);
  }
  return std::nullopt;
}

}  // namespace topowise
