// SPDX-License-Identifier: BSD-3-Clause
// Profiles of earlier runs in the same directory.
#pragma once

#include <cstdint>
#include <string>

namespace topowise::interpose {

/// Removes the files of jobs that began before `start_ns`, except those of `job`. Files that are not profiles are not
/// touched.
void remove_older_jobs(const std::string& directory, std::uint64_t job, std::uint64_t start_ns);

}  // namespace topowise::interpose
