// SPDX-License-Identifier: BSD-3-Clause
// Where `run --auto` keeps the profiles of earlier runs: one folder for each program and number of ranks.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace topowise::job {

/// The absolute path of the program that a command runs. For an interpreter it is the path of the script: "python3
/// app.py" gives that of app.py; without a script it is all words of the command. If there is no such file, it is the
/// first word unchanged.
[[nodiscard]] std::string program_of(const std::vector<std::string>& command, const std::string& search_path);

/// "TOPOWISE_PROFILES", else "$XDG_CACHE_HOME/topowise/profiles", else "$HOME/.cache/topowise/profiles"; nothing if
/// none of the three is set. As its specification wants, an XDG_CACHE_HOME that is not absolute is ignored.
/// `environment` gives the value of a variable.
[[nodiscard]] std::optional<std::string> store_folder(
    const std::function<std::optional<std::string>(const std::string&)>& environment);

/// A folder in the store.
struct StoredProfile {
  std::string path;
  std::string why_not;  ///< empty: only this user can change what the folder holds
};

/// The folder for a profile, made if it is not there. In a store that root has made for all users (as /tmp, with the
/// sticky bit), each user has a folder of his own, named by his number. What another user could have put there is not
/// used. `named`: the user has named the store; else it is not made in another user's folder.
[[nodiscard]] StoredProfile open_stored_profile(const std::string& store, const std::string& program, std::size_t ranks,
                                                bool named = true);

/// Name of the profile in the store: the program's name, a hash of its path, the number of ranks.
[[nodiscard]] std::string stored_profile(const std::string& store, const std::string& program, std::size_t ranks);

}  // namespace topowise::job
