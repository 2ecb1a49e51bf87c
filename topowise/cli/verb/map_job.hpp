// SPDX-License-Identifier: BSD-3-Clause
// `map --distributed`: all processes of an MPI job search for one mapping.
#pragma once

#include <functional>

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/mapper/mapper.hpp>

namespace topowise::cli {

/// `deliver` is called in process 0 alone, with a problem whose traffic has no entries. Every process returns the same
/// status; one of them reports an error.
[[nodiscard]] ExitStatus map_as_job(const Arguments& arguments, Terminal& terminal,
                                    const std::function<void(const MapProblem&, const MappingResult&)>& deliver);

}  // namespace topowise::cli
