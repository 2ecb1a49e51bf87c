// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pthread.h>

namespace topowise::interpose {

/// A program's thread that is cancelled (pthread_cancel) does not end inside our work on files, whose calls of the
/// system would be points of cancellation: it would leave locks held, or unwind through a function that does not throw.
/// It ends at the next point of its own.
class WithoutCancellation {
 public:
  WithoutCancellation() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  WithoutCancellation(const WithoutCancellation&) = delete;
  WithoutCancellation& operator=(const WithoutCancellation&) = delete;
  ~WithoutCancellation() { pthread_setcancelstate(before_, nullptr); }

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace topowise::interpose
