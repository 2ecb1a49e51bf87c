// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads of one process, which share one mapping of the directory: what ThreadSanitizer looks at. Each
// reduces by way of shared host memory on a driver that is acted out, whose streams are threads too, and which lets no
// process open its own memory.
#include <doctest/doctest.h>

#include <barrier>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <topowise/collective/collectives.hpp>
#include <topowise/device/owned.hpp>
#include <topowise/device/scope.hpp>

using namespace topowise;
using namespace topowise::collective;
using namespace topowise::device;

namespace {

/// An exchange of threads.
class Threads {
 public:
  explicit Threads(int ranks) : ranks_(ranks), barrier_(ranks), given_(static_cast<std::size_t>(ranks)) {}

  Exchange exchange(int rank) {
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

struct Tally {
  int done = 0, wrong = 0;
};

/// Vectors of several pieces; some ranks' calls go through MPI, for which the exchange stands.
void be_rank(int rank, int ranks, Threads& threads, Tally& tally) {
  const Exchange exchange = threads.exchange(rank);
  const CollectiveOptions options{
      .algorithm = find_algorithm("staged-host"), .scratch_piece = 512, .staging_piece = 512};
  Collectives together(rank, ranks, options, exchange);
  const DeviceScope scope(gpu().driver, rank % 2);
  constexpr std::size_t kCount = 300;
  const OwnedMemory memory = make_memory(gpu().driver, rank % 2, kCount * sizeof(std::int32_t));
  void* buffer = reinterpret_cast<void*>(memory.get());  // NOLINT
  for (int call = 0; call < 20; ++call) {
    std::vector<std::int32_t> values(kCount, rank + call);
    gpu().driver.copy_to_device(memory.get(), values.data(), kCount * 4);
    gpu().driver.synchronize();
    if (call % 5 == 4) {
      std::string message;
      if (rank == call % ranks)
        together.pass();
      else if (together.perform({.input = buffer, .output = buffer, .count = kCount, .element = FoldElement::i32},
                                message) != Outcome::through_mpi)
        ++tally.wrong;
      std::vector<int> all(static_cast<std::size_t>(ranks));
      exchange(&rank, all.data(), sizeof rank);
      continue;
    }
    std::string message;
    const Outcome outcome =
        together.perform({.input = buffer, .output = buffer, .count = kCount, .element = FoldElement::i32}, message);
    if (outcome == Outcome::done) ++tally.done;
    gpu().driver.copy_to_host(values.data(), memory.get(), kCount * 4);
    gpu().driver.synchronize();
    const int sum = ranks * (ranks - 1) / 2 + ranks * call;
    if (values.front() != sum || values.back() != sum) ++tally.wrong;
  }
}

}  // namespace

TEST_CASE("ranks that are threads reduce side by side, several communicators at a time") {
  ::setenv("TOPOWISE_CUDA_LIBRARY", TOPOWISE_FAKE_CUDA, 1);
  ::setenv("TOPOWISE_HIP_LIBRARY", "/nowhere", 1);
  ::setenv("TOPOWISE_FAKE_SESSION", "collective_threads_test", 1);
  ::setenv("TOPOWISE_FAKE_DELAY_US", "20", 1);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  constexpr int kRanks = 3;
  constexpr int kCommunicators = 2;
  std::vector<Tally> tallies(static_cast<std::size_t>(kRanks * kCommunicators));
  std::vector<std::unique_ptr<Threads>> groups;
  std::vector<std::thread> running;
  for (int group = 0; group < kCommunicators; ++group) {
    groups.push_back(std::make_unique<Threads>(kRanks));
    for (int rank = 0; rank < kRanks; ++rank)
      running.emplace_back(be_rank, rank, kRanks, std::ref(*groups.back()),
                           std::ref(tallies[static_cast<std::size_t>(group * kRanks + rank)]));
  }
  for (std::thread& thread : running) thread.join();
  for (const Tally& tally : tallies) {
    CHECK(tally.done == 16);
    CHECK(tally.wrong == 0);
  }
  Collectives::sweep(true);
}
