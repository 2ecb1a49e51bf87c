// SPDX-License-Identifier: BSD-3-Clause
// The file of this process in the directory of profiles: what its header says, and how it gets its name.
#pragma once

#include <string>

#include <topowise/interpose/base/world.hpp>
#include <topowise/interpose/recording/profile_file.hpp>

namespace topowise::interpose {

/// All that a header says of a process before it has done anything, except when it began.
[[nodiscard]] profile::Header describe_process(const Mpi& m, const World& here);

/// Creates `file` in `directory`, which is made if its parent is there. Completes the job's name in `header`, and
/// writes to `absolute` where the directory is: the program may change its own. Returns 0 or the system's error number.
[[nodiscard]] int create_own_file(ProfileFile& file, const char* directory, profile::Header& header,
                                  std::string& absolute);

}  // namespace topowise::interpose
