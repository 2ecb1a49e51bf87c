// SPDX-License-Identifier: BSD-3-Clause
// What the scripts share that start a program with the GPU of its rank.
#pragma once

#include <string>

#include <topowise/launch/placement.hpp>

namespace topowise {

/// Throws Error(bad_input) if a rank is mapped to a place that is no GPU.
void require_gpus(const Placement& placement);

/// The end of a script of sh: with `$gpu` of `$gpus` at the position of `$local_rank` in the list of all, it becomes
/// the program.
[[nodiscard]] std::string gpu_list_in_shell();

}  // namespace topowise
