// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include <topowise/cli/arguments.hpp>

namespace topowise::cli {

/// Sorts the words after a verb into operands, options and a command. Throws Error(usage).
[[nodiscard]] Arguments parse_arguments(const Verb& verb, std::span<const std::string> words);

}  // namespace topowise::cli
