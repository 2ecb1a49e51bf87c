// SPDX-License-Identifier: BSD-3-Clause
// Says that the first process of a recorded job ended where it could not say so itself: killed by a signal, by _exit(),
// or without standard error. A process beside it waits for that end and costs no time until then. The program does not
// notice it: it is no child of the program, holds no file of it but standard error, and has a session of its own, so
// that signals to the job do not reach it.
//
// The preloaded library reports by single letters, each sent to an abstract socket, that it was loaded, that it
// records, and that it has reported itself. A program that never loads the library reports nothing, and nothing is
// said: its start has said why.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

namespace topowise::job {

/// Names the socket for the preloaded library: an abstract one, without the leading zero.
inline constexpr const char* kWitnessVariable = "TOPOWISE_PROFILE_WITNESS";

/// What a process reports.
enum class Told : char {
  loaded = 'l',   ///< the library is in the process that `run` has become
  records = 'r',  ///< a file of the first rank is open, in a process that says at its end what was recorded
  /// A file of another process is open: of another rank, or of a child that was forked without exec and may end by
  /// _exit(), as those of Python's multiprocessing do. How it ends says nothing of the job.
  child_records = 'c',
  spoke = 's',          ///< the process ends, and reports by itself
  mute = 'm',           ///< the process ends, and has closed its standard error, as programs of coreutils do
  spoke_for_all = 'a',  ///< it has also said what all processes that it started have recorded
};

/// The line for the end of the first process, by what each process reported last and whether any recorded. Empty if
/// there is nothing to say.
class Testimony {
 public:
  void add(pid_t process, Told what);
  [[nodiscard]] std::string line(const std::string& directory) const;

 private:
  struct Process {
    bool records = false;
    bool spoke = false;
    bool mute = false;
  };
  std::map<pid_t, Process> processes_;
  bool children_recorded_ = false;
  bool all_said_ = false;
};

/// Starts the witness of this process, which then becomes the program, and names its socket in the environment. Does
/// nothing where the system cannot: before Linux 5.3, or as the first process of a container, whose end ends all
/// others.
void watch_recording(const std::string& directory);

}  // namespace topowise::job
