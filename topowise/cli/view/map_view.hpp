// SPDX-License-Identifier: BSD-3-Clause
// A mapping as a user wants to see it.
#pragma once

#include <functional>
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

/// ": proven optimal", ": at most 3.0% above the optimum", or nothing where no bound is known.
[[nodiscard]] std::string proof_text(const MapProblem& problem, const MappingResult& result);

/// Tells, where standard error is a terminal, what the mapper has so far; else empty. `terminal` must outlive it.
[[nodiscard]] std::function<void(const MapProgress&)> map_progress(Objective objective, const Terminal& terminal);

}  // namespace topowise::cli
