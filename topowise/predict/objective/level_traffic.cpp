// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/level_traffic.hpp>

#include <topowise/predict/objective/mapped_traffic.hpp>

namespace topowise {

LevelTraffic level_traffic(const Traffic& traffic, const Topology& topology, const Mapping& mapping) {
  LevelTraffic result;
  result.by_level.resize(topology.levels().size());
  for_each_mapped(traffic, topology, mapping, [&](Bytes bytes, Place from, Place to) {
    if (from == to) {
      result.within += bytes;
    } else {
      result.by_level[static_cast<std::size_t>(topology.level(from, to))] += bytes;
    }
  });
  return result;
}

}  // namespace topowise
