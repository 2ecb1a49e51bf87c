// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include <topowise/base/error.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/option.hpp>
#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

/// Sorts the words after a verb into operands, options and a command. Throws Error(usage).
[[nodiscard]] Arguments parse_arguments(const Verb& verb, std::span<const std::string> words);

/// The whole program except main(): chooses the verb and runs it under guarded().
[[nodiscard]] ExitStatus run_program(std::span<const Verb> verbs, std::span<const std::string> words,
                                     Terminal& terminal);

}  // namespace topowise::cli
