// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/node/waiting.hpp>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <ctime>

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
// MPI goes on between naps. It does not say how much is left for it to do, so it is asked several times in a row: a
// long message takes many steps.
constexpr long kFirstNapWithProgress = 50'000;
constexpr long kLongestNapWithProgress = 1'000'000;
constexpr int kProgressBetweenNaps = 8;
constexpr unsigned kLooksBetweenProgress = 512;
constexpr unsigned kLooksOnSharedProcessor = 100;
/// Longer than a kernel takes for 16 MiB of each of 16 ranks, because a rank that sleeps comes back tens of
/// microseconds late.
constexpr std::chrono::microseconds kLongestSpin{500};

void wake(const FlagWord& flag) {
  ::syscall(SYS_futex, futex_word(flag), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

bool has_processors_for(int ranks) {
  cpu_set_t set;
  const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0;
  const int processors = known ? CPU_COUNT(&set) : 1;
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  return processors >= ranks || (processors == 1 && online >= ranks);
}

void set_flag(FlagWord& flag, std::uint64_t value, const std::atomic<std::uint32_t>& sleepers) {
  flag.store(value, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst) > 0) wake(flag);
}

void set_flag_quickly(FlagWord& flag, std::uint64_t value, const std::atomic<std::uint32_t>& sleepers) noexcept {
  flag.store(value, std::memory_order_release);
  if (sleepers.load(std::memory_order_relaxed) > 0) wake(flag);
}

long next_nap(long last, const AwaitedFlag& awaited) {
  const bool goes_on = static_cast<bool>(awaited.progress);
  if (last == 0) return goes_on ? kFirstNapWithProgress : kFirstNap;
  return std::min(last + last / 8, goes_on ? kLongestNapWithProgress : kLongestNap);
}

bool doze(const AwaitedFlag& awaited, long nanoseconds) {
  for (int step = 0; awaited.progress && step < kProgressBetweenNaps; ++step) {
    awaited.progress();
    if (awaited.flag.load(std::memory_order_acquire) >= awaited.value) return true;
  }
  awaited.sleepers.fetch_add(1, std::memory_order_seq_cst);
  const std::uint64_t seen = awaited.flag.load(std::memory_order_seq_cst);
  if (seen < awaited.value) {
    const timespec nap{0, nanoseconds};
    ::syscall(SYS_futex, futex_word(awaited.flag), FUTEX_WAIT, static_cast<std::uint32_t>(seen), &nap, nullptr, 0);
  }
  awaited.sleepers.fetch_sub(1, std::memory_order_relaxed);
  return awaited.flag.load(std::memory_order_acquire) >= awaited.value;
}

bool spin(const AwaitedFlag& awaited, bool has_own_processor) {
  const auto is_set_in = [&](unsigned looks) {
    for (; looks > 0; --looks)
      if (awaited.flag.load(std::memory_order_acquire) >= awaited.value) return true;
    return false;
  };
  if (!has_own_processor) return is_set_in(kLooksOnSharedProcessor);
  if (is_set_in(kLooksBetweenProgress)) return true;
  const auto begin = std::chrono::steady_clock::now();
  do {
    if (awaited.progress) awaited.progress();
    if (is_set_in(kLooksBetweenProgress)) return true;
  } while (std::chrono::steady_clock::now() - begin < kLongestSpin);
  return false;
}

}  // namespace topowise::collective
