// SPDX-License-Identifier: BSD-3-Clause
// Profiles of earlier runs in the same directory.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include <topowise/interpose/recording/file_lock.hpp>

namespace topowise::interpose {

/// Jobs that were not removed although they began earlier.
struct KeptJobs {
  std::size_t alive = 0;    ///< still recording
  std::size_t unknown = 0;  ///< perhaps still recording: see Writer
  std::string files;        ///< the files of one of them: "0123456789abcdef.*.twprof"
};

/// Removes the files of jobs that began before `start_ns` and are over, except those of `job`. Files that are not
/// profiles are not touched, and neither are files of other users.
/// `identity`: the directory in which this job has recorded; in another one under its name nothing is removed.
KeptJobs remove_older_jobs(const std::string& directory, std::uint64_t job, std::uint64_t start_ns,
                           const struct stat* identity = nullptr);

/// Reads the header of a profile's file; false if it is no profile of this machine's byte order.
[[nodiscard]] bool read_profile_header(const std::string& path, profile::Header& header);

}  // namespace topowise::interpose
