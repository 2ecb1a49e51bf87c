// SPDX-License-Identifier: BSD-3-Clause
// Whether and how ranks are reordered in this job: `topowise run --reorder` says it in the environment of every rank.
#pragma once

#include <cstdint>

namespace topowise::interpose::reordering {

enum class Mode : std::uint8_t {
  off,
  report,  ///< say what would be done
  asked,   ///< where the program passes reorder = true
  always,  ///< in every call that could reorder
  world,   ///< MPI_COMM_WORLD, and nothing in the program's calls
};

struct Settings {
  Mode mode = Mode::off;
  bool known = true;         ///< false: the user wrote another word, and it is off
  const char* word = "off";  ///< the mode as the user wrote it
  const char* topology = nullptr;
  const char* network = nullptr;  ///< the site's, in the job's first process; null: not known
  const char* metric = nullptr;
  const char* profile = nullptr;
  const char* loads = nullptr;
  const char* only = nullptr;     ///< list of call sites; null: all
  const char* except = nullptr;   ///< list of call sites; null: none
  const char* include = nullptr;  ///< list of call sites, also of kKnownLibraries; null: none of these
  double seconds = 0;             ///< for a mapping; 0: as many as fit the size of the job
};

/// Read at the first call, then constant.
[[nodiscard]] const Settings& settings() noexcept;

}  // namespace topowise::interpose::reordering
