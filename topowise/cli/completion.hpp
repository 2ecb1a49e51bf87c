// SPDX-License-Identifier: BSD-3-Clause
// Shell completion scripts, made from the same table as the help.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/cli/option.hpp>

namespace topowise::cli {

/// The shells that have a script: "bash", "zsh", "fish".
[[nodiscard]] std::vector<std::string> shells();
[[nodiscard]] std::string completion_script(std::string_view shell, std::span<const Verb> verbs);

}  // namespace topowise::cli
