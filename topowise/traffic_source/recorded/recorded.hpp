// SPDX-License-Identifier: BSD-3-Clause
// A profile that the preloaded library recorded: a directory with one file for each process.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// True for one process's part of a profile.
[[nodiscard]] bool looks_like_profile_file(std::string_view head);

/// One process's file.
struct ProfileFile {
  std::string where;
  std::string text;
};

/// Adds up the processes of one job. Files of other jobs must have been left out. Files that cannot be read, ranks
/// without a file and ranks that did not finalize become warnings. `collectives` is the name of a model, `memory` is
/// one of recorded::ends_names().
[[nodiscard]] Traffic merge_profile(const std::string& where, std::span<const ProfileFile> files,
                                    std::string_view collectives, std::string_view memory,
                                    std::vector<Diagnostic>& warnings);

/// Those of `paths` that belong to one run: the one that is called `run` ("slurm 7.1", or "7.1"), else the one that
/// began last; a spawned job counts only if there are no others. A warning says which of several it is. Throws
/// Error(bad_input) if no run is called so, or several are.
[[nodiscard]] std::vector<ProfileFile> files_of_run(const std::string& where, std::span<const std::string> paths,
                                                    const std::string& run, std::vector<Diagnostic>& warnings);

}  // namespace topowise
