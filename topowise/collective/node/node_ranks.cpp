// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/collective/node/node_ranks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <topowise/collective/node/waiting.hpp>

namespace topowise::collective {
namespace {

/// After so many nanoseconds asleep a rank looks whether the peer still runs.
constexpr long kLook = 100'000'000;

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
  set_flag(flag, value, mine().sleepers);
}

void NodeRanks::set_quickly(FlagWord& flag, std::uint64_t value) const noexcept {
  set_flag_quickly(flag, value, mine().sleepers);
}

void NodeRanks::wait(int peer, const FlagWord& flag, std::uint64_t value, const char* stage, std::uint64_t call) const {
  const AwaitedFlag awaited{flag, value, line(peer).sleepers, progress_};
  if (spin(awaited, has_own_processor_)) return;
  long nap = next_nap(0, awaited);
  for (long slept = nap; !doze(awaited, nap); slept += nap) {
    if (failed_by(call)) throw PeerFailure(failure_text());
    nap = next_nap(nap, awaited);
    if (slept < kLook) continue;
    slept = 0;
    if (is_alive(peer) || flag.load(std::memory_order_acquire) >= value) continue;
    fail(peer, call,
         fmt::format("rank {} (process {}) has ended; rank {} waited for its '{}' in call {}", peer,
                     line(peer).process.pid, rank_, stage, call));
    throw PeerFailure(failure_text());
  }
}

void NodeRanks::outlast(int peer, const FlagWord& flag, std::uint64_t value) const noexcept {
  const AwaitedFlag awaited{flag, value, line(peer).sleepers, progress_};
  long slept = 0;
  const long nap = next_nap(0, awaited);
  while (!doze(awaited, nap)) {
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

bool NodeRanks::failed_by(std::uint64_t call) const {
  return failed() && head_->failure.call <= call;
}

std::string NodeRanks::failure_text() const {
  return failed() ? std::string(head_->failure.text.data()) : std::string("another rank has failed");
}

}  // namespace topowise::collective
