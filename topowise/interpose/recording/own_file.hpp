// SPDX-License-Identifier: BSD-3-Clause
// The file of this process in the directory of profiles: what its header says, and how it gets its name.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include <topowise/interpose/base/world.hpp>
#include <topowise/interpose/recording/profile_file.hpp>

namespace topowise::interpose {

/// All that a header says of a process before it has done anything, except when it began. `mpi` is the name of the
/// family, or "none".
[[nodiscard]] profile::Header describe_process(const World& here, const char* mpi);
/// Adds what only MPI knows, once it has begun.
void describe_mpi(const Mpi& m, profile::Header& header);

/// Creates `file` in `directory`, which is made if its parent is there. Completes the job's name in `header`, and
/// writes to `absolute` where the directory is: the program may change its own; and to `identity` which one it is.
/// Returns 0 or the system's error number.
///
/// Launchers give one name to several jobs: to those that one of them spawns, and some to all. No file of another job
/// is ever replaced; the second job of a name takes the name "NAME again 1", and so on. All its processes must come to
/// the same number although they do not talk to each other. So a number is taken if it holds a file of this rank, or
/// files of other ranks that began to record on this host before `began_ns`, when this process was not there yet.
/// (`began_ns` = 0: not known; then only a file of this rank counts.)
[[nodiscard]] int create_own_file(ProfileFile& file, const char* directory, profile::Header& header,
                                  std::uint64_t began_ns, std::string& absolute, struct stat* identity = nullptr);

/// When this process was started, Unix time in nanoseconds, to 10 ms and never later than it was; 0 if the system does
/// not say.
[[nodiscard]] std::uint64_t process_start_ns();

}  // namespace topowise::interpose
