// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads of this process. They share one mapping of the directory, which ThreadSanitizer can check.
#pragma once

#include <fmt/format.h>

#include <barrier>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <topowise/collective/node/forked_ranks.hpp>

namespace topowise::collective {

/// An exchange between threads.
class ThreadExchange {
 public:
  explicit ThreadExchange(int ranks) : ranks_(ranks), barrier_(ranks), given_(static_cast<std::size_t>(ranks)) {}

  Exchange of(int rank) {
    return [this, rank](const void* mine, void* all, std::size_t bytes) {
      given_[static_cast<std::size_t>(rank)] = mine;
      barrier_.arrive_and_wait();
      for (int other = 0; other < ranks_; ++other)
        std::memcpy(static_cast<char*>(all) + static_cast<std::size_t>(other) * bytes,
                    given_[static_cast<std::size_t>(other)], bytes);
      barrier_.arrive_and_wait();
    };
  }

 private:
  int ranks_;
  std::barrier<> barrier_;
  std::vector<const void*> given_;
};

/// Runs like run_forked(), but a rank that throws ends the process.
inline std::vector<int> run_threads(int ranks, const RankBody& body) {
  ThreadExchange exchange(ranks);
  std::vector<int> statuses(static_cast<std::size_t>(ranks));
  std::vector<std::thread> running;
  for (int rank = 0; rank < ranks; ++rank) {
    running.emplace_back([&, rank] {
      try {
        statuses[static_cast<std::size_t>(rank)] = body(rank, exchange.of(rank));
      } catch (const std::exception& error) {
        fmt::print(stderr, "rank {}: {}\n", rank, error.what());
        std::_Exit(static_cast<int>(ExitStatus::internal));
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  return statuses;
}

}  // namespace topowise::collective
