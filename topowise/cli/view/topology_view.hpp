// SPDX-License-Identifier: BSD-3-Clause
// A machine as a user wants to see it.
#pragma once

#include <string>

#include <topowise/cli/terminal.hpp>
#include <topowise/graph/topology.hpp>

namespace topowise::cli {

/// Places with bus id, NUMA domain and nearest NICs.
void show_places(const Topology& topology, Terminal& terminal);
/// "level" shows the class of every pair, as nvidia-smi does; "distance", "latency", "bandwidth" and "hops"
/// (switches on the way) numbers.
void show_matrix(const Topology& topology, const std::string& matrix, Terminal& terminal);
/// The classes of the machine, nearest first, with their range of bandwidth and latency.
void show_levels(const Topology& topology, Terminal& terminal);
/// How the two reach each other, link by link.
void show_route(const Topology& topology, Place a, Place b, Terminal& terminal);
/// The JSON of the machine, with how the two reach each other.
[[nodiscard]] std::string with_route(std::string json, const Topology& topology, Place a, Place b);

}  // namespace topowise::cli
