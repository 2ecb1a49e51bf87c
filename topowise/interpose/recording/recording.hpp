// SPDX-License-Identifier: BSD-3-Clause
// When recording begins, pauses and ends.
#pragma once

#include <atomic>
#include <cstdint>

#include <topowise/interpose/base/feature.hpp>
#include <topowise/interpose/base/world.hpp>
#include <topowise/interpose/recording/profile_file.hpp>

namespace topowise::interpose {

enum class Mode : std::uint8_t {
  unknown,  ///< MPI is not up yet or no more, or no call of it has been seen
  recording,
  paused,  ///< MPI_Pcontrol(0)
  off,     ///< no profile asked for, or nowhere to write it
};

/// What the process may do. Read on the way of every message.
[[nodiscard]] inline std::atomic<Mode>& mode() {
  static constinit std::atomic<Mode> value{Mode::unknown};
  return value;
}

/// Whether calls are to be recorded now; begins recording if this is the first call seen since MPI is up.
[[nodiscard]] bool begin_if_possible() noexcept;
[[nodiscard]] inline bool recording() noexcept {
  return mode().load(std::memory_order_acquire) == Mode::recording || begin_if_possible();
}
/// True also while paused: what is remembered for later must not depend on the pause.
[[nodiscard]] inline bool recording_or_paused() noexcept {
  return recording() || mode().load(std::memory_order_relaxed) == Mode::paused;
}

/// Opens the file of a program that communicates without MPI, or before it. False if no profile is asked for, or it
/// cannot be written. `here` counts if the file is not open yet; where MPI comes later with another rank, its calls are
/// not recorded. Such a recording ends when the process calls exit(0).
[[nodiscard]] bool begin_without_mpi(const World& here) noexcept;

/// The file that this process writes; open while the mode is recording or paused, and never closed.
[[nodiscard]] ProfileFile& profile_file();
/// Whether TOPOWISE_TRACE asked for a trace, and nanoseconds since recording began.
[[nodiscard]] bool trace_wanted();
[[nodiscard]] std::uint64_t trace_time();

extern const Feature kRecording;

}  // namespace topowise::interpose
