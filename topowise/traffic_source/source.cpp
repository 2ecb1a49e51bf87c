// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/source.hpp>

#include <topowise/traffic_source/pattern.hpp>

namespace topowise {

std::span<const TrafficFormat> traffic_formats() {
  return {};
}

Traffic read_traffic(const std::string& argument, const TrafficOptions&) {
  return pattern_traffic(argument);
}

}  // namespace topowise
