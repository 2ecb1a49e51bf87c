// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/objective/link_load.hpp>

#include <fmt/format.h>

#include <topowise/base/error.hpp>
#include <topowise/predict/objective/mapped_traffic.hpp>

namespace topowise {
namespace {

constexpr const char* kHint = "--objective hop-bytes needs neither routes nor bandwidths";

/// The route, which is empty only between places of one vertex. Throws if there is none.
std::vector<LinkId> route_that_exists(const Topology& topology, Place from, Place to) {
  std::vector<LinkId> route = topology.route(from, to);
  if (route.empty() && topology.place(from).vertex != topology.place(to).vertex) {
    throw bad_input(fmt::format("'{}' has no route from '{}' to '{}'", topology.name(), topology.vertex_of(from).name,
                                topology.vertex_of(to).name),
                    kHint);
  }
  return route;
}

BytesPerSecond known_bandwidth(const Topology& topology, LinkId id) {
  const Link& link = topology.link(id);
  if (!(link.bandwidth.value() > 0)) {
    throw bad_input(fmt::format("the bandwidth of the link from '{}' to '{}' of '{}' is not known",
                                topology.vertex(link.from).name, topology.vertex(link.to).name, topology.name()),
                    kHint);
  }
  return link.bandwidth;
}

}  // namespace

std::vector<Bytes> link_load(const Traffic& traffic, const Topology& topology, const Mapping& mapping) {
  std::vector<Bytes> load(topology.links().size());
  for_each_mapped(traffic, topology, mapping, [&](Bytes bytes, Place from, Place to) {
    for (const LinkId link : route_that_exists(topology, from, to)) load[link.index()] += bytes;
  });
  return load;
}

MaxCongestion max_congestion(const Topology& topology, std::span<const Bytes> load) {
  MaxCongestion result;
  for (std::size_t l = 0; l < load.size(); ++l) {
    if (load[l] == Bytes()) continue;
    const Seconds seconds = load[l] / known_bandwidth(topology, LinkId(l));
    if (seconds <= result.seconds) continue;
    result.seconds = seconds;
    result.fullest = LinkId(l);
  }
  return result;
}

void check_congestion_known(const Topology& topology, std::span<const Place> places) {
  // If there are more places than this, only the routes from and to the first one are checked: in a tree they use every
  // link that any route uses.
  constexpr std::size_t kEveryPair = 512;
  std::vector<bool> seen(topology.links().size());
  for (const Place from : places) {
    for (const Place to : places) {
      if (places.size() > kEveryPair && from != places.front() && to != places.front()) continue;
      for (const LinkId link : route_that_exists(topology, from, to)) {
        if (!seen[link.index()]) (void)known_bandwidth(topology, link);
        seen[link.index()] = true;
      }
    }
  }
}

}  // namespace topowise
