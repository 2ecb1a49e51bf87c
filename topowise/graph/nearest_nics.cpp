// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/nearest_nics.hpp>

#include <topowise/graph/route.hpp>

namespace topowise {
namespace {

void add(NearestNics& nearest, std::size_t nic, PathClass path) {
  if (!nearest.nics.empty() && nearest.path < path) return;
  if (nearest.nics.empty() || path < nearest.path) nearest = {path, {}};
  nearest.nics.push_back(nic);
}

}  // namespace

std::vector<NearestNics> nearest_nics(const Topology& topology, std::span<const Place> places,
                                      std::span<const VertexId> candidates) {
  std::vector<NearestNics> result(places.size());
  if (candidates.empty()) return result;
  std::vector<VertexId> endpoints;
  for (const Place place : places) endpoints.push_back(topology.place(place).vertex);
  endpoints.insert(endpoints.end(), candidates.begin(), candidates.end());
  const Routing routing(topology.vertices(), topology.links(), endpoints);
  for (std::size_t p = 0; p < places.size(); ++p) {
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const std::vector<LinkId> route = routing.route(p, places.size() + c);
      if (!route.empty()) add(result[p], c, classify(topology.vertices(), topology.links(), route));
    }
  }
  return result;
}

std::vector<VertexId> nics_of(const Topology& topology) {
  std::vector<VertexId> nics;
  for (std::size_t v = 0; v < topology.vertices().size(); ++v) {
    if (topology.vertices()[v].kind == VertexKind::nic) nics.emplace_back(v);
  }
  return nics;
}

}  // namespace topowise
