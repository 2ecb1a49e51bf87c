// SPDX-License-Identifier: BSD-3-Clause
// The words in front of a command that make it measure the same again: variables and the launcher.
#pragma once

#include <string>
#include <string_view>

namespace topowise::cli {

/// The variables of an environment ("NAME=VALUE" each, null at the end) that decide what is measured: those of
/// topowise, which name drivers, libraries and what is simulated, and those that choose GPUs. They are sorted by name,
/// quoted for a POSIX shell, and each is followed by a blank.
[[nodiscard]] std::string measuring_variables(const char* const* environment);

/// The command that starts so many processes by the launcher of that name (job::Process): "mpirun -n 4 ". For launchers
/// that tell only their family it is the command that all of the family have.
[[nodiscard]] std::string launcher_words(std::string_view launcher, std::size_t ranks);

}  // namespace topowise::cli
