// SPDX-License-Identifier: BSD-3-Clause
// The processes of one job on one compute node agree on something before any of them becomes the user's program: each
// brings a report, the first process decides, and each gets an answer.
//
// They meet in a folder of shared memory that bears the job's name. Every file there is locked by its writer (flock) as
// long as it means something, and the system takes the lock away when the writer ends or becomes the program. So a file
// that a dead job left behind is recognised without process ids, in containers too, and without a clock.
//
//   report.RANK.NONCE   what a process brings; removed by it when it has its answer
//   plan.NONCE          the answers, by name of report; removed by the first process when no report waits any more
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace topowise::job {

struct Meeting {
  std::string folder;  ///< where jobs meet: meeting_folder()
  std::uint64_t job = 0;
  std::size_t rank = 0;  ///< number of the process on the node; number 0 decides
  std::size_t size = 1;  ///< processes of the job on the node
  std::chrono::milliseconds timeout{10'000};
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

/// /dev/shm, or where that is missing the folder of temporary files.
[[nodiscard]] std::string meeting_folder();

/// Is called in process 0 with the reports of all processes, by rank; returns an answer for each. Must not throw.
using Decision = std::function<std::vector<std::string>(const std::vector<std::string>&)>;

/// Returns this process's answer. If a process does not come in time, process 0 throws Error(not_available) and the
/// others get an empty answer. Also throws Error(not_available) if process 0 does not come, or if the folder cannot be
/// used.
[[nodiscard]] std::string meet(const Meeting& meeting, const std::string& report, const Decision& decide);

}  // namespace topowise::job
