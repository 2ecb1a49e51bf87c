// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/interrupt.hpp>

#include <time.h>

namespace topowise::cli {
namespace {

// Written by the signal handler; the time before the flag.
volatile std::sig_atomic_t was_interrupted = 0;
timespec first_time = {};

extern "C" void note_interrupt(int signal) {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (was_interrupted == 0) {
    first_time = now;
    was_interrupted = 1;
    return;
  }
  const double since = static_cast<double>(now.tv_sec - first_time.tv_sec) +
                       1e-9 * static_cast<double>(now.tv_nsec - first_time.tv_nsec);
  if (since < 1) return;
  struct sigaction ending = {};
  ending.sa_handler = SIG_DFL;
  sigaction(signal, &ending, nullptr);
  raise(signal);  // delivered when the signal handler returns
}

}  // namespace

InterruptGuard::InterruptGuard() {
  was_interrupted = 0;
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &before_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &before_, nullptr);
}

bool InterruptGuard::interrupted() {
  return was_interrupted != 0;
}

}  // namespace topowise::cli
