// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/sleeping_wait.hpp>

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

#include <topowise/interpose/base/clock.hpp>
#include <topowise/interpose/reordering/calls.hpp>

namespace topowise::interpose::reordering {
namespace {

// A mapping of few processes is done in this time, and until then it is enough to give the processor away between two
// questions: processes that have slept are scheduled worse afterwards, and MPI's next collectives take twice the time
// (docs/models/reordering.md).
constexpr std::uint64_t kAwake = 20'000'000;  // nanoseconds
// Then the pauses grow to a tenth of what a mapping of many processes takes.
constexpr long kFirstNap = 10'000;
constexpr long kLongestNap = 100'000;

}  // namespace

int sleeping_wait(const Mpi& m, Word& request) {
  const std::uint64_t asleep = clock_ns(CLOCK_MONOTONIC) + kAwake;
  int done = 0;
  timespec nap{.tv_sec = 0, .tv_nsec = kFirstNap};
  while (true) {
    if (const int status = calls()->Test(&request, &done, m.family.status_ignore); status != 0 || done != 0)
      return status;
    if (clock_ns(CLOCK_MONOTONIC) < asleep) {
      ::sched_yield();
      continue;
    }
    ::nanosleep(&nap, nullptr);
    nap.tv_nsec = std::min(2 * nap.tv_nsec, kLongestNap);
  }
}

}  // namespace topowise::interpose::reordering
