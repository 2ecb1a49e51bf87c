// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

/// Does the work and turns what goes wrong into a message and an exit status.
[[nodiscard]] ExitStatus guarded(const std::function<ExitStatus()>& work, const Terminal& terminal);

/// The whole program but its process: picks the verb and runs it, guarded.
[[nodiscard]] ExitStatus run_program(std::span<const std::string> words, Terminal& terminal);

}  // namespace topowise::cli
