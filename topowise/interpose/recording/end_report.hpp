// SPDX-License-Identifier: BSD-3-Clause
// What one process says of a recording at the end: how much was recorded, and where; or that nothing was, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <topowise/profile/format.hpp>

namespace topowise::interpose {

/// The files of a job, added up.
struct Recorded {
  std::int32_t ranks = 0;  ///< whose files are there
  std::int32_t ended = 0;  ///< of these, with MPI_Finalize or by exit(0)
  std::int32_t full = 0;   ///< of these, whose file had no room for all of it
  bool one_host = true;
  bool counted = true;      ///< false: there are too many files to read them for one line
  std::uint64_t pairs = 0;  ///< (sender, receiver) of messages in MPI
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< of these messages
  std::uint64_t calls = 0;  ///< of collectives, each counted by every rank that takes part
};
/// Reads what the files of this job hold now. `own` is the header of one of them.
[[nodiscard]] Recorded add_up(const std::string& directory, const profile::Header& own);

/// The line for a job that recorded. `launched` is how many processes the launcher has started; 0: not known.
[[nodiscard]] std::string summary(const Recorded& recorded, const std::string& directory, const profile::Header& own,
                                  std::size_t launched);

/// What other processes have recorded.
struct RecordedByOthers {
  profile::Header first{};  ///< the lowest rank of the job that began last
  bool told = false;        ///< one of these processes has printed its line, or may print it on another host
  std::size_t jobs = 1;     ///< how many they were; a program may start several that know nothing of each other
};
/// The line of a process that recorded nothing itself, for what the others' last job recorded.
[[nodiscard]] std::string summary_of_others(const Recorded& recorded, const std::string& directory,
                                            const RecordedByOthers& others);

/// Why a process has nothing to record, as far as its libraries show.
[[nodiscard]] std::string reason_for_nothing();
/// What processes that this one started have begun in the directory at `since_ns` or later; nothing if there is no such
/// file.
[[nodiscard]] std::optional<RecordedByOthers> recorded_by_others(const std::string& directory, std::uint64_t since_ns);

}  // namespace topowise::interpose
