// SPDX-License-Identifier: BSD-3-Clause
// Which process of which job this is, before MPI is initialised: launchers state it in the environment. Also compiled
// into the preloaded library: uses the standard library only.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace topowise::job {

struct Process {
  std::string launcher;  ///< "Open MPI", "Slurm", ...; empty if there is none
  std::size_t rank = 0;
  std::optional<std::size_t> local_rank;     ///< number on its compute node
  std::optional<std::size_t> size;           ///< ranks of the job
  std::optional<std::size_t> local_size;     ///< ranks of the job on its compute node
  std::optional<std::size_t> node_rank{};    ///< number of its node, where programs take their rank from RANK (PyTorch)
  const char* node_rank_variable = nullptr;  ///< variable for it; null where programs ask MPI for their rank
};

/// `environment` returns the value of a variable, or null.
[[nodiscard]] Process this_process(const std::function<const char*(const char*)>& environment);

/// Says which of RANK, WORLD_SIZE and LOCAL_RANK is missing or not a number, if RANK or WORLD_SIZE is set: a start of
/// PyTorch by variables (env://) needs all three. Empty if nothing is wrong, or if neither RANK nor WORLD_SIZE is set.
[[nodiscard]] std::string lack_of_env_start(const std::function<const char*(const char*)>& environment);

/// A variable of this process, if it is set.
[[nodiscard]] std::optional<std::string> environment(const std::string& name);
/// The job that this process is in.
[[nodiscard]] Process this_process();

}  // namespace topowise::job
