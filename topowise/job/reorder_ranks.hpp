// SPDX-License-Identifier: BSD-3-Clause
// Has MPI's topology functions reorder ranks in the program that this process is going to be.
#pragma once

#include <optional>
#include <string>

#include <topowise/base/units.hpp>
#include <topowise/job/process.hpp>

namespace topowise::job {

struct ReorderOptions {
  std::string mode;                     ///< "asked", "always", "report" or "world"
  std::optional<std::string> topology;  ///< TOPOLOGY; nothing: equal hosts
  std::optional<std::string> metric;    ///< of pairs of places; nothing: distance
  std::optional<std::string> profile;   ///< TRAFFIC; nothing: edges weigh what the program says
  std::optional<std::string> only;      ///< list of call sites; nothing: all
  std::optional<std::string> except;    ///< list of call sites; nothing: none
  std::optional<Seconds> time;          ///< for each mapping; nothing: by the size of the job
};

/// Rank 0 reads the files once, so that what is wrong with them is said before the program starts. Throws Error, at
/// rank 0 only: the caller has to end the job.
void reorder_ranks(const ReorderOptions& options, const Process& process);

}  // namespace topowise::job
