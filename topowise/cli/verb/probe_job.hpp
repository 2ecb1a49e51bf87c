// SPDX-License-Identifier: BSD-3-Clause
// `topowise probe`, run by all ranks of an MPI job.
#pragma once

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

/// Process 0 delivers the result. Every process returns the same status.
[[nodiscard]] ExitStatus probe_as_job(const Arguments& arguments, Terminal& terminal);

}  // namespace topowise::cli
