// SPDX-License-Identifier: BSD-3-Clause
// Rates of bonds that a source has only assumed, because it counts the links of a bond but does not say their
// generation.
#pragma once

#include <optional>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// True for a bond between GPUs, direct or through an NVSwitch. Bonds to processors belong to the host.
[[nodiscard]] bool is_bond_link(const Topology& machine, const Link& link);

/// True if the rates of some bonds of that kind are taken from most machines, because the source does not know this
/// machine's.
[[nodiscard]] bool has_assumed_rates(const Topology& machine, LinkKind kind);

/// The rate of one link of that kind of bond, if the machine's source knows it: all bonds must have the same rate a
/// link, and it must not be assumed, nor without a count of links.
[[nodiscard]] std::optional<BytesPerSecond> known_rate_of_one(const Topology& machine, LinkKind kind);

/// Replaces an assumed bandwidth by that of as many links of this rate; any other bandwidth stays.
void settle_rate(Link& link, BytesPerSecond of_one);

/// The same machine with the assumed rates of its bonds of that kind settled.
[[nodiscard]] Topology with_rate(const Topology& machine, LinkKind kind, BytesPerSecond of_one);

}  // namespace topowise
