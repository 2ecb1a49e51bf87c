// SPDX-License-Identifier: BSD-3-Clause
// The question that `map` and `evaluate` ask: the same arguments and options for both.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/mapper/mapper.hpp>

namespace topowise::cli {

/// TRAFFIC and TOPOLOGY.
[[nodiscard]] std::vector<Operand> map_operands();
/// What both verbs take: how the inputs are read and which places may be used.
[[nodiscard]] std::vector<Option> map_options();
/// The question with a traffic that is read in another way.
[[nodiscard]] MapProblem map_problem(const Arguments& arguments, const std::function<Traffic()>& read_traffic,
                                     const std::function<void(const std::string&)>& warn);
/// Reads both inputs and passes on their warnings.
[[nodiscard]] MapProblem read_map_problem(const Arguments& arguments, const Terminal& terminal);

/// Refuses an --emit that no mapping of the problem can fill, before one is searched.
void check_emitted(const Arguments& arguments, const MapProblem& problem);

/// Places that the problem allows: MapProblem::allowed, or all.
[[nodiscard]] std::vector<Place> usable_places(const MapProblem& problem);

}  // namespace topowise::cli
