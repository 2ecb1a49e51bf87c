// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/topology_source/merge/assumed_rates.hpp>

#include <algorithm>
#include <cmath>

namespace topowise {
namespace {

bool is_assumed_bond(const Topology& machine, const Link& link, LinkKind kind) {
  return link.kind == kind && link.source.is_assumed() && is_bond_link(machine, link);
}

}  // namespace

bool is_bond_link(const Topology& machine, const Link& link) {
  const auto device = [&](VertexId id) {
    const VertexKind kind = machine.vertex(id).kind;
    return kind == VertexKind::gpu || kind == VertexKind::nvswitch;
  };
  return is_bond(link.kind) && device(link.from) && device(link.to);
}

bool has_assumed_rates(const Topology& machine, LinkKind kind) {
  return std::ranges::any_of(machine.links(), [&](const Link& link) { return is_assumed_bond(machine, link, kind); });
}

std::optional<BytesPerSecond> known_rate_of_one(const Topology& machine, LinkKind kind) {
  constexpr double kEqual = 1e-3;
  std::optional<BytesPerSecond> rate;
  for (const Link& link : machine.links()) {
    if (link.kind != kind || !is_bond_link(machine, link)) continue;
    const Trust trust = link.source.trust();
    const bool counted = trust != Trust::placeholder && trust != Trust::wiring && trust != Trust::measured;
    if (!counted || link.source.is_assumed() || link.width < 1 || !(link.bandwidth.value() > 0)) return std::nullopt;
    const BytesPerSecond one(link.bandwidth.value() / link.width);
    if (rate && std::abs(one.value() - rate->value()) > kEqual * rate->value()) return std::nullopt;
    rate = one;
  }
  return rate;
}

void settle_rate(Link& link, BytesPerSecond of_one) {
  if (!link.source.is_assumed()) return;
  link.bandwidth = of_one * link.width;
  link.source = link.source.with(Basis::nominal);
}

Topology with_rate(const Topology& machine, LinkKind kind, BytesPerSecond of_one) {
  TopologyBuilder builder(machine);
  for (std::size_t l = 0; l < machine.links().size(); ++l) {
    Link link = machine.links()[l];
    if (!is_assumed_bond(machine, link, kind)) continue;
    settle_rate(link, of_one);
    builder.set_bandwidth(LinkId(l), link.bandwidth, link.source);
  }
  return std::move(builder).build();
}

}  // namespace topowise
