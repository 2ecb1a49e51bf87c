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

/// True if the argument names a mapping that is made, not a file.
[[nodiscard]] bool is_made_mapping(std::string_view argument);

/// What `argument` names: identity, cyclic or random, made for the problem, or a file of at least as many ranks. Warns
/// if the file was made for another machine, or for other traffic than the problem's if the problem has traffic. Throws
/// Error(bad_input) for another file, a file of fewer ranks, or places that the machine does not have.
///
/// A file's mapping may need more than the machine's capacities, because the user said how many ranks may share a place
/// when it was made. Then MapProblem::ranks_per_place is set to what it needs, unless the problem sets it already.
///
/// `also` is another word that the option takes, and so may be meant by a file that is not there.
[[nodiscard]] Mapping read_mapping(const std::string& argument, MapProblem& problem, const Terminal& terminal,
                                   std::string_view also = {});

/// How many ranks share the fullest place.
[[nodiscard]] int most_on_a_place(const Mapping& mapping, const Topology& topology);

}  // namespace topowise::cli
