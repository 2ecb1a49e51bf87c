// SPDX-License-Identifier: BSD-3-Clause
// Makes MPI's topology functions reorder ranks in the program that this process becomes.
#pragma once

#include <optional>
#include <string>

#include <topowise/base/units.hpp>
#include <topowise/job/process.hpp>

namespace topowise::job {

struct ReorderOptions {
  std::string mode;                     ///< "asked", "always", "report" or "world"
  std::optional<std::string> topology;  ///< TOPOLOGY; nothing: the network of the site, or equal hosts
  std::optional<std::string> metric;    ///< metric of pairs of places; nothing: distance
  std::optional<std::string> profile;   ///< TRAFFIC; nothing: edges have the weights that the program states
  std::optional<std::string> loads;     ///< LIST or FILE as of `map --loads`; nothing: not known
  std::optional<std::string> only;      ///< list of call sites; nothing: all
  std::optional<std::string> except;    ///< list of call sites; nothing: none
  std::optional<std::string> include;   ///< list of calls of known libraries; nothing: none
  std::optional<Seconds> time;          ///< time limit of each mapping; nothing: it follows the size of the job
};

/// Rank 0 reads the files once, so that errors in them are reported before the program starts, and in a job of several
/// hosts without a TOPOLOGY asks the site's programs for the network. Throws Error at rank 0
/// only: the caller has to end the job.
void reorder_ranks(const ReorderOptions& options, const Process& process);

}  // namespace topowise::job
