// SPDX-License-Identifier: BSD-3-Clause
// Independent pieces of work on a few threads. What is computed must not depend on how many there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace topowise::multilevel {

/// As many threads as are asked for; all that the machine has if `threads` is 0.
[[nodiscard]] inline int threads_or_all(int threads) {
  return threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

/// Calls work(0) to work(count - 1). Rethrows the first exception in the order of the pieces.
template <class Work>
void for_each_piece(int count, int threads, const Work& work) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  std::atomic<int> next{0};
  const auto run = [&] {
    for (int i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[static_cast<std::size_t>(i)] = std::current_exception();
      }
    }
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < std::min(threads, count); ++i) others.emplace_back(run);
  run();
  others.clear();  // joins
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace topowise::multilevel
