// SPDX-License-Identifier: BSD-3-Clause
// What a directory of recorded files holds, without reading more than their headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace topowise {

/// The job that began last, of those that were not spawned.
struct ProfileSummary {
  std::uint64_t job = 0;                                 ///< profile::Header::job
  std::string program;                                   ///< path of the program, of one of its ranks; empty: not known
  std::size_t ranks = 0;                                 ///< of the job
  std::size_t files = 0;                                 ///< that are there
  std::size_t finalized = 0;                             ///< of those, whose process reached MPI_Finalize
  bool reordered = false;                                ///< ranks were, by 'run --reorder', while it was recorded
  std::map<std::size_t, std::vector<std::string>> gpus;  ///< by rank, bus ids of those whose memory it sent from or to

  [[nodiscard]] bool complete() const { return finalized == ranks; }
};

/// Nothing if the directory is not there or holds no profile.
[[nodiscard]] std::optional<ProfileSummary> summarize_profile(const std::string& directory);

}  // namespace topowise
