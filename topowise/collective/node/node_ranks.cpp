// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/node/node_ranks.hpp>

#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>

namespace topowise::collective {
namespace {

/// The half of a flag that grows; x86-64 and AArch64 are little-endian.
const std::uint32_t* futex_word(const FlagWord& flag) {
  static_assert(sizeof(FlagWord) == sizeof(std::uint64_t));
  return reinterpret_cast<const std::uint32_t*>(&flag);
}

// A flag that is set without a look for sleepers is seen when a nap ends. Naps grow, because a rank may be late by
// hours.
constexpr long kFirstNap = 2'000'000;  // nanoseconds
constexpr long kLongestNap = 50'000'000;
// MPI goes on between naps. It does not tell how much is left for it to do, so it is asked several times in a row: a
// long message takes many steps.
constexpr long kFirstNapWithProgress = 50'000;
constexpr long kLongestNapWithProgress = 1'000'000;
constexpr int kProgressBetweenNaps = 8;
constexpr unsigned kLooksBetweenProgress = 512;
constexpr unsigned kLooksOnSharedProcessor = 100;
/// Longer than a kernel takes for 16 MiB of each of 16 ranks, because a rank that sleeps comes back tens of
/// microseconds late.
constexpr std::chrono::microseconds kLongestSpin{500};
/// After so many nanoseconds asleep a rank looks whether the peer still runs.
constexpr long kLook = 100'000'000;

/// Whether each rank has a processor: a rank that shares one with the rank that it waits for only keeps that rank from
/// going on.
bool has_processors_for(int ranks) {
  cpu_set_t set;
  const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0;
  const int processors = known ? CPU_COUNT(&set) : 1;
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  return processors >= ranks || (processors == 1 && online >= ranks);
}

std::size_t offset_of_lines() {
  return (sizeof(DirectoryHead) + alignof(RankLine) - 1) / alignof(RankLine) * alignof(RankLine);
}

}  // namespace

NodeRanks::NodeRanks(int rank, int size, std::shared_ptr<void> memory, std::size_t bytes, std::size_t staging)
    : rank_(rank), size_(size), memory_(std::move(memory)), has_own_processor_(has_processors_for(size)) {
  char* begin = static_cast<char*>(memory_.get());
  head_ = reinterpret_cast<DirectoryHead*>(begin);
  lines_ = reinterpret_cast<RankLine*>(begin + offset_of_lines());
  staging_ = {begin + bytes - staging, staging};
}

void NodeRanks::set(FlagWord& flag, std::uint64_t value) const {
  flag.store(value, std::memory_order_seq_cst);
  if (mine().sleepers.load(std::memory_order_seq_cst) > 0)
    ::syscall(SYS_futex, futex_word(flag), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void NodeRanks::set_quickly(FlagWord& flag, std::uint64_t value) const noexcept {
  flag.store(value, std::memory_order_release);
  if (mine().sleepers.load(std::memory_order_relaxed) > 0)
    ::syscall(SYS_futex, futex_word(flag), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// Nanoseconds of the nap that follows one of `last`; `last` is 0 for the first one.
long NodeRanks::next_nap(long last) const {
  if (last == 0) return progress_ ? kFirstNapWithProgress : kFirstNap;
  return std::min(last + last / 8, progress_ ? kLongestNapWithProgress : kLongestNap);
}

/// True if the flag is set.
bool NodeRanks::sleep(int peer, const FlagWord& flag, std::uint64_t value, long nanoseconds) const {
  for (int step = 0; progress_ && step < kProgressBetweenNaps; ++step) {
    progress_();
    if (flag.load(std::memory_order_acquire) >= value) return true;
  }
  std::atomic<std::uint32_t>& sleepers = line(peer).sleepers;
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  const std::uint64_t seen = flag.load(std::memory_order_seq_cst);
  if (seen < value) {
    const timespec nap{0, nanoseconds};
    ::syscall(SYS_futex, futex_word(flag), FUTEX_WAIT, static_cast<std::uint32_t>(seen), &nap, nullptr, 0);
  }
  sleepers.fetch_sub(1, std::memory_order_relaxed);
  return flag.load(std::memory_order_acquire) >= value;
}

/// True if the flag is set.
bool NodeRanks::spin(const FlagWord& flag, std::uint64_t value) const {
  const auto is_set_in = [&](unsigned looks) {
    for (; looks > 0; --looks)
      if (flag.load(std::memory_order_acquire) >= value) return true;
    return false;
  };
  if (!has_own_processor_) return is_set_in(kLooksOnSharedProcessor);
  if (is_set_in(kLooksBetweenProgress)) return true;
  const auto begin = std::chrono::steady_clock::now();
  do {
    if (progress_) progress_();
    if (is_set_in(kLooksBetweenProgress)) return true;
  } while (std::chrono::steady_clock::now() - begin < kLongestSpin);
  return false;
}

void NodeRanks::wait(int peer, const FlagWord& flag, std::uint64_t value, const char* stage, std::uint64_t call) const {
  if (spin(flag, value)) return;
  long nap = next_nap(0);
  for (long slept = nap; !sleep(peer, flag, value, nap); slept += nap) {
    if (failed()) throw PeerFailure(failure_text());
    nap = next_nap(nap);
    if (slept < kLook) continue;
    slept = 0;
    if (is_alive(peer) || flag.load(std::memory_order_acquire) >= value) continue;
    fail(peer, call,
         fmt::format("rank {} (process {}) has ended; rank {} waited for its '{}' in allreduce {}", peer,
                     line(peer).process.pid, rank_, stage, call));
    throw PeerFailure(failure_text());
  }
}

void NodeRanks::outlast(int peer, const FlagWord& flag, std::uint64_t value) const noexcept {
  long slept = 0;
  const long nap = next_nap(0);
  while (!sleep(peer, flag, value, nap)) {
    slept += nap;
    if (slept < kLook) continue;
    slept = 0;
    if (!is_alive(peer)) return;
  }
}

bool NodeRanks::all_agree(std::size_t phase, std::uint64_t number, bool good, std::uint64_t call) const {
  // Each use has two numbers, so that the flag itself carries the answer.
  set(mine().phases[phase], 2 * number + (good ? 1 : 0));
  for (int other = 0; other < size_; ++other) {
    const FlagWord& flag = line(other).phases[phase];
    if (other != rank_) wait(other, flag, 2 * number, "prepared", call);
    good = good && flag.load(std::memory_order_acquire) == 2 * number + 1;
  }
  return good;
}

void NodeRanks::fail(int whose, std::uint64_t call, const std::string& what) const {
  Failure& failure = head_->failure;
  std::uint32_t nobody = 0;
  if (!failure.state.compare_exchange_strong(nobody, 1)) return;
  failure.rank = whose;
  failure.call = call;
  const std::size_t length = std::min(what.size(), failure.text.size() - 1);
  std::memcpy(failure.text.data(), what.data(), length);
  failure.text[length] = '\0';
  failure.state.store(2, std::memory_order_release);
}

bool NodeRanks::failed() const {
  return head_->failure.state.load(std::memory_order_acquire) == 2;
}

std::string NodeRanks::failure_text() const {
  return failed() ? std::string(head_->failure.text.data()) : std::string("another rank has failed");
}

}  // namespace topowise::collective
