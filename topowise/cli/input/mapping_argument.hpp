// SPDX-License-Identifier: BSD-3-Clause
// The argument --mapping: a file, or a mapping that is made.
#pragma once

#include <string>
#include <string_view>

#include <topowise/cli/option.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/mapper/mapper.hpp>

namespace topowise::cli {

[[nodiscard]] Option mapping_option();

/// Whether the argument names a mapping that is made, and no file.
[[nodiscard]] bool is_made_mapping(std::string_view argument);

/// What `argument` names: identity, cyclic or random, made for the problem, or a file of at least as many ranks. Warns
/// if the file was made for another machine, or for other traffic than the problem's, if that has any. Throws
/// Error(bad_input) for another file, a file of fewer ranks, or places that the machine does not have.
///
/// How many ranks may share a place was asked when the mapping was chosen: where the problem does not say it, a file's
/// mapping that needs more than the machine's capacities sets MapProblem::ranks_per_place.
[[nodiscard]] Mapping read_mapping(const std::string& argument, MapProblem& problem, const Terminal& terminal);

/// How many ranks share the fullest place.
[[nodiscard]] int most_on_a_place(const Mapping& mapping, const Topology& topology);

}  // namespace topowise::cli
