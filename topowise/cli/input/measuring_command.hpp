// SPDX-License-Identifier: BSD-3-Clause
// What stands before a command so that it measures the same again: variables and the launcher.
#pragma once

#include <string>
#include <string_view>

namespace topowise::cli {

/// Those of an environment ("NAME=VALUE" each, null at the end) that decide what is measured: ours, which name drivers,
/// libraries and what is acted out, and those that choose GPUs. By name, quoted for a POSIX shell, a blank behind each.
[[nodiscard]] std::string measuring_variables(const char* const* environment);

/// How so many processes are started by the launcher of that name (job::Process): "mpirun -n 4 ". Launchers that tell
/// their family only have the name that all of the family know.
[[nodiscard]] std::string launcher_words(std::string_view launcher, std::size_t ranks);

}  // namespace topowise::cli
