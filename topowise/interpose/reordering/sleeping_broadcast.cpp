// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/sleeping_broadcast.hpp>

#include <algorithm>
#include <ctime>

#include <topowise/interpose/reordering/calls.hpp>

namespace topowise::interpose::reordering {
namespace {

// The first questions come without a pause, as the answer may be on its way. Then the pauses grow to a tenth of what a
// small mapping takes.
constexpr int kAwake = 20;
constexpr long kFirstNap = 10'000;  // nanoseconds
constexpr long kLongestNap = 100'000;

}  // namespace

int sleeping_broadcast(const Mpi& m, void* buffer, int bytes, int root, Word comm) {
  Word request = 0;
  if (const int status = calls()->Ibcast(buffer, bytes, m.family.type_byte, root, comm, &request); status != 0)
    return status;
  int done = 0;
  timespec nap{.tv_sec = 0, .tv_nsec = kFirstNap};
  for (int asked = 0;; ++asked) {
    if (const int status = calls()->Test(&request, &done, m.family.status_ignore); status != 0 || done != 0)
      return status;
    if (asked < kAwake) continue;
    ::nanosleep(&nap, nullptr);
    nap.tv_nsec = std::min(2 * nap.tv_nsec, kLongestNap);
  }
}

}  // namespace topowise::interpose::reordering
