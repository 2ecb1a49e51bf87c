// SPDX-License-Identifier: BSD-3-Clause
// The problem that `map` and `evaluate` share, with the same arguments and options.
#pragma once

#include <string>
#include <vector>

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/mapper/mapper.hpp>

namespace topowise::cli {

/// The operands TRAFFIC and TOPOLOGY.
[[nodiscard]] std::vector<Operand> map_operands();
/// The TOPOLOGY, which is this machine, or the hosts of this job, if it is not given.
[[nodiscard]] std::string machine_argument(const Arguments& arguments);
/// The options of both verbs: how the inputs are read, and which places may be used.
[[nodiscard]] std::vector<Option> map_options();
/// The values of --mapper.
[[nodiscard]] std::vector<std::string> mapper_names();
/// The option --objective, whose value "auto" is none of parse_objective().
[[nodiscard]] Option objective_option();
/// Reads both inputs and passes on their warnings.
[[nodiscard]] MapProblem read_map_problem(const Arguments& arguments, const Terminal& terminal);
/// The same for traffic that the caller has read. Where `terminal` is null, nothing is said.
[[nodiscard]] MapProblem map_problem(const Arguments& arguments, Traffic traffic, const Terminal* terminal);

/// Refuses an --emit that no mapping of the problem can fill, before one is searched.
void check_emitted(const Arguments& arguments, const MapProblem& problem);

/// Places that the problem allows: MapProblem::allowed, or all.
[[nodiscard]] std::vector<Place> usable_places(const MapProblem& problem);

}  // namespace topowise::cli
