// SPDX-License-Identifier: BSD-3-Clause
// Where the processes of one user on one node find each other: "topowise-USER" in a folder that all users share, which
// only this user can enter, and in it one folder a meeting. If somebody else has taken the name, all processes go on to
// the next one in the same order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <topowise/base/private_folder.hpp>

namespace topowise::job {

/// /dev/shm, the folders of temporary files, the user's runtime folder and home: the first that can be used is. Nobody
/// else can take names in the last two.
[[nodiscard]] std::vector<std::string> meeting_places();

/// The folder of meeting `job`, made if it is not there. Throws Error(not_available) if no place can be used.
[[nodiscard]] PrivateFolder open_meeting(const std::vector<std::string>& places, std::uint64_t job);

/// Removes the folders of a meeting that are empty.
void close_meeting(const std::vector<std::string>& places, std::uint64_t job);

/// This user's folders in all places, as far as they are there.
[[nodiscard]] std::vector<PrivateFolder> user_folders(const std::vector<std::string>& places);
/// Whether a name in such a folder is that of a meeting.
[[nodiscard]] bool is_meeting(const std::string& name);

}  // namespace topowise::job
