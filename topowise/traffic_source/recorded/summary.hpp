// SPDX-License-Identifier: BSD-3-Clause
// The content of a directory of recorded files, for which only their headers are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace topowise {

/// The job that began last among those that were not spawned.
struct ProfileSummary {
  std::uint64_t job = 0;                                 ///< profile::Header::job
  std::string program;                                   ///< path of the program of one of its ranks; empty: not known
  std::size_t ranks = 0;                                 ///< number of ranks of the job
  std::size_t files = 0;                                 ///< number of files that are there
  std::size_t finalized = 0;                             ///< number of files whose process reached MPI_Finalize
  bool reordered = false;                                ///< 'run --reorder' renumbered the ranks while it was recorded
  std::map<std::size_t, std::vector<std::string>> gpus;  ///< by rank: bus ids of GPUs from or to whose memory it sent

  [[nodiscard]] bool complete() const { return finalized == ranks; }
};

/// The summary; nothing if the directory is missing or holds no profile.
[[nodiscard]] std::optional<ProfileSummary> summarize_profile(const std::string& directory);

}  // namespace topowise
