// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <csignal>

#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

/// While it lives, an interrupt from the keyboard or a request to end (SIGTERM: timeout(1), batch systems) asks a
/// search to stop and to give what it has; one that comes a second later or more ends the program. Those between are
/// taken for the first: timeout(1) and launchers send one both to the program and to its group. There may be one guard
/// at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool interrupted() { return flag().load(); }
  /// For those who look at it themselves.
  [[nodiscard]] static const std::atomic<bool>& flag();

 private:
  struct sigaction interrupt_before_ = {};
  struct sigaction end_before_ = {};
};

/// Of a search that a guard stood over: done, or interrupted, which is told.
[[nodiscard]] ExitStatus status_of_search(const Terminal& terminal);

}  // namespace topowise::cli
