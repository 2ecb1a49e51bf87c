// SPDX-License-Identifier: BSD-3-Clause
// What another program prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace topowise {

/// Runs a program that is found by PATH, with its errors thrown away, and returns what it printed. Nothing if there is
/// no such program, if it fails, or if it takes longer than `seconds` (then it is killed).
[[nodiscard]] std::optional<std::string> program_output(const std::vector<std::string>& command, int seconds);

}  // namespace topowise
