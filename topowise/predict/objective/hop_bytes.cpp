// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/hop_bytes.hpp>

#include <algorithm>

#include <topowise/predict/objective/mapped_traffic.hpp>

namespace topowise {

double hop_bytes(const Traffic& traffic, const Topology& topology, const Mapping& mapping, Metric metric) {
  double sum = 0;
  for_each_mapped(traffic, topology, mapping, [&](Bytes bytes, Place from, Place to) {
    if (bytes > Bytes()) sum += bytes.value() * topology.pair_cost(metric, from, to);
  });
  return sum;
}

Dilation dilation(const Traffic& traffic, const Topology& topology, const Mapping& mapping, Metric metric) {
  Dilation result;
  double hops = 0;
  double bytes_in_all = 0;
  for_each_mapped(traffic, topology, mapping, [&](Bytes bytes, Place from, Place to) {
    if (bytes == Bytes()) return;
    const double cost = topology.pair_cost(metric, from, to);
    hops += bytes.value() * cost;
    bytes_in_all += bytes.value();
    result.max = std::max(result.max, cost);
  });
  if (bytes_in_all > 0) result.average = hops / bytes_in_all;
  return result;
}

}  // namespace topowise
