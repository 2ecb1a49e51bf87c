// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a statement about a machine rests on beyond what its sources state.
#pragma once

#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>

namespace topowise {

/// Topology::assumptions() and, if the statement is about rates, those that a source assumes: "NVLink of 25 GB/s a
/// link". A few words each.
[[nodiscard]] std::vector<std::string> assumptions_of(const Topology& topology, bool about_rates);

}  // namespace topowise
