// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/traffic/replication_weights.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <topowise/graph/traffic/traffic_builder.hpp>

namespace topowise {
Traffic replication_weights(const Traffic& traffic, double heaviest) {
  const auto exchanged = [&](const TrafficEntry& entry) {
    return entry.bytes.value() + traffic.bytes(entry.destination, entry.source).value();
  };
  double most = 0;
  for (const TrafficEntry& entry : traffic.entries())
    if (entry.source != entry.destination) most = std::max(most, exchanged(entry));
  TrafficBuilder weights;
  for (const TrafficEntry& entry : traffic.entries()) {
    const double bytes = exchanged(entry);
    if (entry.source == entry.destination || bytes <= 0) continue;
    const Bytes weight(std::max(1.0, std::round(heaviest * bytes / most)));
    weights.add({entry.source, entry.destination, weight, 0});
    // An edge is listed at both of its ends, also where only one sends.
    const bool both = traffic.bytes(entry.destination, entry.source).value() > 0;
    const bool other_way_is_an_entry = both && entry.bytes.value() > 0;
    if (!other_way_is_an_entry) weights.add({entry.destination, entry.source, weight, 0});
  }
  return std::move(weights).finish(traffic.ranks());
}

}  // namespace topowise
