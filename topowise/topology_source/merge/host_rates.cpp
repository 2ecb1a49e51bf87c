// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/merge/host_rates.hpp>

namespace topowise {
namespace {

bool is_host_link(const Link& link) {
  return link.kind == LinkKind::pcie || link.kind == LinkKind::inter_socket;
}

/// The kind of the end that is farther from the processors. The other end, a socket, differs from source to source.
VertexKind lower_end(const Topology& machine, const Link& link) {
  if (link.kind == LinkKind::inter_socket) return VertexKind::package;
  return machine.vertex(link.from).parent == link.to ? machine.vertex(link.from).kind : machine.vertex(link.to).kind;
}

}  // namespace

HostRates::HostRates(const Topology& machine) {
  for (const Link& link : machine.links()) {
    if (!is_host_link(link) || link.source.is_assumed() || !(link.bandwidth.value() > 0)) continue;
    const auto [at, is_new] =
        known_.try_emplace({link.kind, lower_end(machine, link)}, Known{link.bandwidth, link.source});
    if (!is_new && at->second && at->second->bandwidth != link.bandwidth) at->second.reset();
  }
}

const HostRates::Known* HostRates::find(const Key& key) const {
  const auto found = known_.find(key);
  return found != known_.end() && found->second ? &*found->second : nullptr;
}

void HostRates::settle(const Topology& machine, Link& link) const {
  if (!is_host_link(link) || !link.source.is_assumed()) return;
  const Known* known = find({link.kind, lower_end(machine, link)});
  if (known == nullptr && link.kind == LinkKind::pcie) known = find({LinkKind::pcie, VertexKind::gpu});
  if (known == nullptr) return;
  link.bandwidth = known->bandwidth;
  link.source = known->source;
}

}  // namespace topowise
