// SPDX-License-Identifier: BSD-3-Clause
// What another process has to say.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace topowise {

/// Runs a program that is found by PATH, with its errors thrown away, and returns what it printed. Nothing if there is
/// no such program, if it fails, or if it takes longer than `seconds` (then it is killed).
[[nodiscard]] std::optional<std::string> program_output(const std::vector<std::string>& command, int seconds);

/// What `answer` returns when it is called in a child of this process. For libraries that keep for good what they found
/// at their first use. Nothing if it throws, dies, or takes longer than `seconds`.
[[nodiscard]] std::optional<std::string> answer_of_child(const std::function<std::string()>& answer, int seconds);

/// What is read from a pipe until its other end is closed. Nothing if that takes longer than `seconds`.
[[nodiscard]] std::optional<std::string> read_pipe(int input, int seconds);

}  // namespace topowise
