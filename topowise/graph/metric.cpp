// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/metric.hpp>

#include <topowise/base/enum_names.hpp>

namespace topowise {
namespace {

constexpr EnumNames<Metric, 4> kNames{{"distance", "latency", "bandwidth", "hops"}};

}  // namespace

std::string_view to_string(Metric metric) {
  return kNames[metric];
}

std::optional<Metric> parse_metric(std::string_view text) {
  return kNames.parse(text);
}

std::vector<std::string> metric_names() {
  return kNames.list();
}

}  // namespace topowise
