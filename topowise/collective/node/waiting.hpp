// SPDX-License-Identifier: BSD-3-Clause
// Setting a flag and waiting for one, apart from what the flags mean: a test replaces this file, so that it decides
// which rank goes on.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include <topowise/collective/node/directory.hpp>

namespace topowise::collective {

/// Lets whatever brought the ranks together go on with what it has under way; returns at once.
using Progress = std::function<void()>;

/// `sleepers` counts the ranks that sleep until a flag of this rank is set.
void set_flag(FlagWord& flag, std::uint64_t value, const std::atomic<std::uint32_t>& sleepers);
/// The same without looking closely for sleepers: they look again by themselves after 50 ms at most.
void set_flag_quickly(FlagWord& flag, std::uint64_t value, const std::atomic<std::uint32_t>& sleepers) noexcept;

/// Whether each rank has a processor: a rank that shares one with the rank that it waits for only keeps that rank from
/// going on.
[[nodiscard]] bool has_processors_for(int ranks);

struct AwaitedFlag {
  const FlagWord& flag;
  std::uint64_t value;
  std::atomic<std::uint32_t>& sleepers;
  const Progress& progress;  ///< may be empty
};
/// Looks for a while. True if the flag is set.
[[nodiscard]] bool spin(const AwaitedFlag& awaited, bool has_own_processor);
/// Nanoseconds of the nap that follows one of `last`; `last` is 0 for the first one.
[[nodiscard]] long next_nap(long last, const AwaitedFlag& awaited);
/// Sleeps until the flag is set, or for so long. True if it is set.
[[nodiscard]] bool doze(const AwaitedFlag& awaited, long nanoseconds);

}  // namespace topowise::collective
