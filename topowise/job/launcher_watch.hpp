// SPDX-License-Identifier: BSD-3-Clause
// Whether the launcher of this rank is still there. Killed by SIGKILL, it cannot end its ranks, and a rank that waits
// would start its program minutes later, for nobody.
//
// When a process ends, its children get another parent. So the launcher is gone as soon as a process between it and
// this one has another parent than before. Processes between them are scripts that the launcher started: the launcher
// has put the same rank into their environment. (The signal of PR_SET_PDEATHSIG would not do: it is also sent when a
// mere thread of the launcher ends, and not when the parent of a script ends.)
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

namespace topowise::job {

class LauncherWatch {
 public:
  /// `is_of_rank` says whether a process was started by the launcher for this rank.
  explicit LauncherWatch(const std::function<bool(pid_t)>& is_of_rank);
  /// False where it is not known: in a container with process ids of its own, as long as the output of this process
  /// still has a reader.
  [[nodiscard]] bool gone() const;

 private:
  struct Link {
    pid_t process;
    pid_t parent;
  };
  std::vector<Link> links_;  ///< this process and its scripts, the nearest to the launcher last
};

/// The one of this process, made by the first call.
[[nodiscard]] const LauncherWatch& launcher_watch();

}  // namespace topowise::job
