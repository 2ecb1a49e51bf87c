// SPDX-License-Identifier: BSD-3-Clause
// The phases of a recorded run. A program mostly computes, exchanges, computes, exchanges; its trace shows bursts of
// calls between silences. A burst is a phase, and a program that iterates has few different phases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/units.hpp>
#include <topowise/graph/traffic/exchange.hpp>
#include <topowise/traffic_source/recorded/recorded.hpp>

namespace topowise {

/// Messages that were sent once or again and again.
struct RecordedPhase {
  Seconds first_time;  ///< time when it first began, since the first process began to record
  std::uint64_t occurrences = 0;
  std::vector<Communication> messages;  ///< sorted by source, each source's in its order; all start at 0
};

struct RecordedPhases {
  std::size_t ranks = 0;
  std::vector<RecordedPhase> phases;  ///< sorted by first_time; no two have the same messages
};

/// The phases of one job, from files with a trace. A phase ends where no rank begins a call for longer than `gap`.
/// `collectives` is the name of a model. `memory` is "all", "host" or "device", because a trace knows only the sender's
/// buffer. What the trace does not say is left out with a warning. Throws Error(bad_input) if no file has a trace.
[[nodiscard]] RecordedPhases phases_of_profile(const std::string& where, std::span<const ProfileFile> files,
                                               Seconds gap, std::string_view collectives, std::string_view memory,
                                               std::vector<Diagnostic>& warnings);

}  // namespace topowise
