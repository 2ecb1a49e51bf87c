// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <csignal>

#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

/// While it lives, an interrupt from the keyboard or a request to end (SIGTERM: timeout(1), batch systems) asks a
/// search to stop and to give what it has; one that comes a second later or more ends the program. Signals in between
/// count as the first one, because timeout(1) and launchers send one to the program and one to its group. After the
/// search, when the result waits for whoever reads it, the first signal ends the program. There may be only one guard
/// at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool interrupted() { return flag().load(); }
  /// From now on the result is written to what may never read it: a pipe or a terminal. A file is written quickly, and
  /// an end in between would leave a part of it.
  static void search_is_over();
  /// The flag itself, for code that reads it without a call.
  [[nodiscard]] static const std::atomic<bool>& flag();

 private:
  struct sigaction interrupt_before_ = {};
  struct sigaction end_before_ = {};
};

/// The exit status of a search that ran under a guard: done, or interrupted, which it also prints.
[[nodiscard]] ExitStatus status_of_search(const Terminal& terminal);

}  // namespace topowise::cli
