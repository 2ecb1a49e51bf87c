// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/cluster/adapter_rates.hpp>

#include <algorithm>
#include <cmath>

#include <topowise/topology_source/node/link_rate.hpp>

namespace topowise {

BytesPerSecond fastest_slot(const Topology& machine) {
  BytesPerSecond of_gpus;
  BytesPerSecond of_all;
  for (const Link& link : machine.links()) {
    if (link.kind != LinkKind::pcie) continue;
    of_all = std::max(of_all, link.bandwidth);
    if (machine.vertex(link.from).kind == VertexKind::gpu) of_gpus = std::max(of_gpus, link.bandwidth);
  }
  if (of_gpus > BytesPerSecond()) return of_gpus;
  return of_all > BytesPerSecond() ? of_all : gigabytes_per_second(rate::kPcie4x16.gigabytes_per_second);
}

const Link* fastest_link(const Topology& machine, VertexId from) {
  const Link* fastest = nullptr;
  for (const LinkId id : machine.links_from(from)) {
    const Link& link = machine.link(id);
    if (fastest == nullptr || link.bandwidth > fastest->bandwidth) fastest = &link;
  }
  return fastest;
}

bool states_port(const Link& link) {
  constexpr double kPort = 12.5e9;
  return link.source.trust() == Trust::preset && std::fmod(link.bandwidth.value(), kPort) == 0;
}

}  // namespace topowise
