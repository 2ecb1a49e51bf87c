// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

namespace topowise::cli {

/// While it lives, an interrupt from the keyboard asks a search to stop and to give what it has; one that comes a
/// second later or more ends the program. Those between are taken for the first: timeout(1) and launchers send one
/// interrupt both to the program and to its group. There may be one guard at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool interrupted();

 private:
  struct sigaction before_ = {};
};

}  // namespace topowise::cli
