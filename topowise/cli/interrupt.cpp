// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/interrupt.hpp>

#include <time.h>

namespace topowise::cli {
namespace {

// The signal handler writes the time, then the flag.
std::atomic<bool> was_interrupted = false;
std::atomic<bool> only_writes = false;
static_assert(std::atomic<bool>::is_always_lock_free, "others may not be touched in a signal handler");
timespec first_time = {};

/// The signal is delivered when the signal handler returns.
void end_by(int signal) {
  struct sigaction ending = {};
  ending.sa_handler = SIG_DFL;
  sigaction(signal, &ending, nullptr);
  raise(signal);
}

extern "C" void note_interrupt(int signal) {
  if (!was_interrupted && only_writes) return end_by(signal);
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!was_interrupted) {
    first_time = now;
    was_interrupted = true;
    return;
  }
  const double since = static_cast<double>(now.tv_sec - first_time.tv_sec) +
                       1e-9 * static_cast<double>(now.tv_nsec - first_time.tv_nsec);
  if (since >= 1) end_by(signal);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  was_interrupted = false;
  only_writes = false;
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &end_before_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &end_before_, nullptr);
}

void InterruptGuard::search_is_over() {
  only_writes = true;
}

const std::atomic<bool>& InterruptGuard::flag() {
  return was_interrupted;
}

ExitStatus status_of_search(const Terminal& terminal) {
  if (!InterruptGuard::interrupted()) return ExitStatus::done;
  terminal.warn("interrupted: this is the best so far");
  return ExitStatus::interrupted;
}

}  // namespace topowise::cli
