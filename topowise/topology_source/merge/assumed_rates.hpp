// SPDX-License-Identifier: BSD-3-Clause
// Rates of bonds that a source has only assumed: it counts the links of a bond and does not say of which generation.
#pragma once

#include <optional>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// A bond between GPUs, direct or through an NVSwitch; those to processors belong to the host.
[[nodiscard]] bool is_bond_link(const Topology& machine, const Link& link);

/// Whether the rates of some bonds of that kind are those of most machines, because the source does not know this
/// one's.
[[nodiscard]] bool has_assumed_rates(const Topology& machine, LinkKind kind);

/// What one link of that kind of bond carries, if the machine's source knows: one rate for all bonds, and neither
/// assumed nor without a count of links.
[[nodiscard]] std::optional<BytesPerSecond> known_rate_of_one(const Topology& machine, LinkKind kind);

/// An assumed bandwidth becomes that of as many links of this rate; another stays.
void settle_rate(Link& link, BytesPerSecond of_one);

/// The same machine with the assumed rates of its bonds of that kind settled.
[[nodiscard]] Topology with_rate(const Topology& machine, LinkKind kind, BytesPerSecond of_one);

}  // namespace topowise
