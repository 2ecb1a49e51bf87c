// SPDX-License-Identifier: BSD-3-Clause
// Processors that a process may run on.
#pragma once

#include <string>
#include <vector>

namespace topowise::job {

/// The numbers of a Linux cpulist ("0-3,8"), ascending. Throws Error(bad_input) if the text is not a cpulist.
[[nodiscard]] std::vector<int> cpus_in_list(const std::string& list);

/// The processors on which this process may run now. Throws Error(not_available).
[[nodiscard]] std::vector<int> allowed_cpus();
/// Restricts this process, and what it starts, to `cpus`. Throws Error(not_available) with the system's reason.
void bind_to_cpus(const std::vector<int>& cpus);
/// Lifts every restriction but that of the control group. Throws Error(not_available).
void bind_to_all_cpus();

}  // namespace topowise::job
