// SPDX-License-Identifier: BSD-3-Clause
// What a recorded profile tells besides the matrix: where the buffers were.
#pragma once

#include <string>

#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

/// Prints a line on host and GPU memory, and one on the GPUs of the ranks. Prints nothing if `traffic` is not a
/// profile, or if nothing in it was on a GPU.
void show_buffers(const std::string& traffic, const std::string& collectives, Terminal& terminal);

}  // namespace topowise::cli
