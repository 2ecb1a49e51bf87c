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
};

struct Settings {
  Mode mode = Mode::off;
  const char* topology = nullptr;
  double seconds = 1;
};

/// Read at the first call, then constant. An unknown mode is off, and told by rank 0 of whoever asks first.
[[nodiscard]] const Settings& settings() noexcept;

}  // namespace topowise::interpose::reordering
