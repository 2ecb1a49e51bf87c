// SPDX-License-Identifier: BSD-3-Clause
// A mapping as a user wants to see it.
#pragma once

#include <string>
#include <vector>

#include <topowise/cli/terminal.hpp>
#include <topowise/mapper/mapper.hpp>

namespace topowise::cli {

/// Rank, place, name, compute node, PCI bus id, NUMA domain; empty where not known.
[[nodiscard]] std::vector<std::string> rank_cells(const Topology& topology, Rank rank, Place place);
/// The same of every rank.
void show_mapping(const MapProblem& problem, const Mapping& mapping, Terminal& terminal);
/// Bytes by level, before and after.
void show_levels(const MapProblem& problem, const Mapping& identity, const Mapping& mapping, Terminal& terminal);
/// Cost, gain, bound, proof and time, and why there is no gain if there is none.
void show_result(const MapProblem& problem, const MappingResult& result, Terminal& terminal);

/// Has the mapper tell, where standard error is a terminal, what it has so far. `terminal` must outlive the problem.
void tell_progress(MapProblem& problem, const Terminal& terminal);

}  // namespace topowise::cli
