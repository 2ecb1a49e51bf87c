// SPDX-License-Identifier: BSD-3-Clause
// A mapping as a user wants to see it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <topowise/cli/terminal.hpp>
#include <topowise/mapper/mapper.hpp>

namespace topowise::cli {

/// The cells of a rank: rank, place, name, compute node, PCI bus id, NUMA domain; empty where not known.
[[nodiscard]] std::vector<std::string> rank_cells(const Topology& topology, Rank rank, Place place);
/// Shows these cells for every rank.
void show_mapping(const MapProblem& problem, const Mapping& mapping, Terminal& terminal);
/// Shows the bytes by level, before and after.
void show_levels(const MapProblem& problem, const Mapping& identity, const Mapping& mapping, Terminal& terminal);
/// Shows cost, gain, bound, proof and time, and the reason if there is no gain.
void show_result(const MapProblem& problem, const MappingResult& result, Terminal& terminal);

/// The objective as a number of a mapping: "predicted time".
[[nodiscard]] std::string_view number_name(Objective objective);
/// A cost in the objective's unit.
[[nodiscard]] std::string cost_text(Objective objective, double cost);

/// The proof in words: ": proven optimal in hop-bytes" or ": at most 3.0% above the optimum" (gap_text); empty where no
/// bound is known.
[[nodiscard]] std::string proof_text(const MapProblem& problem, const MappingResult& result);
/// "lower bound 10.5 MB", or that none was found.
[[nodiscard]] std::string bound_text(const HopBytes& hops);

/// True if the result is better than the identity, in its objective or in hop-bytes.
[[nodiscard]] bool has_gain(const MappingResult& result);
/// Why the result is no better than the identity, and whether another mapping could be.
[[nodiscard]] std::string why_no_gain(const MapProblem& problem, const MappingResult& result);

/// What a faster mapping would cost that was not taken, in a line; empty if there is none.
[[nodiscard]] std::string spared_text(const MappingResult& result);
/// Lines about a description that contradicts itself, and about rates that contradict the order of the levels.
[[nodiscard]] std::vector<std::string> contradictions(const MapProblem& problem, const MappingResult& result);

/// A function that says what the mapper has so far; empty if standard error is not a terminal. `terminal` must outlive
/// it.
[[nodiscard]] std::function<void(const MapProgress&)> map_progress(Objective objective, const Terminal& terminal);

}  // namespace topowise::cli
