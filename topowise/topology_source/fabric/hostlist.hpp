// SPDX-License-Identifier: BSD-3-Clause
// Slurm's hostlist expressions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/text_lines.hpp>

namespace topowise {

/// Most names that one text may stand for: a short expression can name more hosts than any machine has.
inline constexpr std::size_t kMostHosts = std::size_t{1} << 17;

/// "node[01-03,7],login" -> node01 node02 node03 node7 login. `expression` must be a part of line `line` of `lines`.
/// Throws Error(bad_input) that points at what is wrong, or if it and the `used` names before it exceed `limit`.
[[nodiscard]] std::vector<std::string> expand_hostlist(const TextLines& lines, std::size_t line,
                                                       std::string_view expression, std::size_t used = 0,
                                                       std::size_t limit = kMostHosts);

}  // namespace topowise
