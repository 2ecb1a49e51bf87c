// SPDX-License-Identifier: BSD-3-Clause
// Which MPI library belongs to the launcher that started this process.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <topowise/base/shared_library.hpp>

namespace topowise::mpi {

/// The traces from which the launcher's library is known.
struct LauncherTraces {
  std::string launcher;                ///< "Open MPI", "hydra", "Slurm", ...
  std::vector<std::string> ancestors;  ///< program files of the processes above this one, nearest first
  std::function<std::optional<std::string>(const std::string&)> environment;
};

/// Names to try in turn: what TOPOWISE_MPI_LIBRARY says, else libraries beside the launcher's own programs, below the
/// folders that the environment names, and those that the loader finds.
[[nodiscard]] std::vector<std::string> library_names(const LauncherTraces& traces);

/// Program files of the processes above this one, nearest first, as far as they may be seen.
[[nodiscard]] std::vector<std::string> ancestor_programs();

/// Throws Error(not_available) if none of the names can be opened.
[[nodiscard]] SharedLibrary open_library(const LauncherTraces& traces);

}  // namespace topowise::mpi
