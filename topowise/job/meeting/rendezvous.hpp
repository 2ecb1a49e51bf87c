// SPDX-License-Identifier: BSD-3-Clause
// The processes of one job on one compute node agree on something before any of them becomes the user's program: each
// brings a report, the first process decides, and each gets an answer.
//
// They meet in a folder that only their user can enter (meeting_place.hpp). A process that waits holds its file locked
// (flock), and the system takes the lock away when the process ends or becomes the program. So a file that a dead job
// left behind is recognised without process ids, in containers too, and without a clock.
//
// All processes take their answers, or none does, whichever of them is slow, stopped, killed or late. Files only change
// their names, which is atomic and needs no room on a full disk, and each name can be taken away once:
//
//   report.RANK.NONCE       what a process brings. It gives up by removing the file: then it cannot be counted on.
//   taken.RANK.NONCE.LEAD   the same file after process 0 has counted the process. From now on both go by:
//   open.LEAD               made by process 0 before it counts anybody. It is renamed once, either by process 0 to
//   plan.LEAD                   the answers, by name of report, or by a process that has waited too long to
//   dropped.LEAD                nobody's answers.
//
// The last process that leaves removes the files.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <topowise/job/meeting/posted_file.hpp>

namespace topowise::job {

struct Meeting {
  std::vector<std::string> places;  ///< where jobs meet: meeting_places()
  std::uint64_t job = 0;
  std::size_t rank = 0;  ///< number of the process on the node; number 0 decides
  std::size_t size = 1;  ///< processes of the job on the node
  std::chrono::milliseconds timeout{10'000};
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  Pause pause = sleep_for;  ///< also called, with 0, before each operation on files that others may be changing
  std::function<bool()> gone = [] { return false; };  ///< whether the launcher is gone, for which nobody need wait
};

/// Is called in process 0 with the reports of all processes, by rank; returns an answer for each. Must not throw.
using Decision = std::function<std::vector<std::string>(const std::vector<std::string>&)>;

/// No Error: what goes on after those must not go on after this.
class LauncherGone : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the launcher of this rank is gone"; }
};

/// Returns this process's answer once it is certain that all processes get theirs. Otherwise all of them either throw
/// Error(not_available) or get an empty answer; at least one throws, and process 0 always does. Throws LauncherGone as
/// soon as the launcher is gone.
[[nodiscard]] std::string meet(const Meeting& meeting, const std::string& report, const Decision& decide);

}  // namespace topowise::job
