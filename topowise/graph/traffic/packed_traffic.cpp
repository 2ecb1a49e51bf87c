// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/traffic/packed_traffic.hpp>

#include <algorithm>

namespace topowise {
namespace {

/// Up to this many different amounts are always shared.
constexpr std::size_t kFew = std::size_t{1} << 16;
/// Above that number, sharing pays if an amount stands for this many entries on average.
constexpr std::size_t kSharedBy = 4;

std::size_t scattered(std::uint64_t bytes, std::uint64_t messages) {
  std::uint64_t bits = bytes * 0x9e3779b97f4a7c15U ^ (messages + 0x632be59bd9b4e019U) * 0xd6e8feb86659fd93U;
  bits ^= bits >> 32;
  return static_cast<std::size_t>(bits * 0xd6e8feb86659fd93U >> 16);
}

}  // namespace

void PackedTraffic::append(const TrafficEntry& entry) {
  const auto bytes = std::bit_cast<std::uint64_t>(entry.bytes.value());
  while (first_.size() <= entry.source.index()) first_.push_back(size());
  if (shared_) {
    const std::size_t index = share(bytes, entry.messages);
    if (bytes_.size() > kFew && bytes_.size() > size() / kSharedBy) stop_sharing();
    if (shared_) amounts_.push_back(index);
  }
  if (!shared_) {
    bytes_.push_back(bytes);
    messages_.push_back(entry.messages);
  }
  destinations_.push_back(entry.destination.index());
}

void PackedTraffic::finish(std::size_t ranks) {
  first_.resize(ranks + 1, size());
  slots_ = std::vector<std::uint32_t>();
}

void PackedTraffic::forget_before(std::size_t i) {
  destinations_.forget_before(i);
  amounts_.forget_before(i);
  if (shared_) return;
  bytes_.forget_before(i);
  messages_.forget_before(i);
}

/// The index of an amount, which is added if it is new.
std::size_t PackedTraffic::share(std::uint64_t bytes, std::uint64_t messages) {
  if (2 * (bytes_.size() + 1) > slots_.size()) grow_slots();
  std::uint32_t& slot = slots_[slot_of(bytes, messages)];
  if (slot == 0) {
    bytes_.push_back(bytes);
    messages_.push_back(messages);
    slot = static_cast<std::uint32_t>(bytes_.size());
  }
  return slot - 1;
}

/// Where the amount is in the hash table, or will be.
std::size_t PackedTraffic::slot_of(std::uint64_t bytes, std::uint64_t messages) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = scattered(bytes, messages) & mask;
  while (slots_[at] != 0 && (bytes_[slots_[at] - 1] != bytes || messages_[slots_[at] - 1] != messages))
    at = (at + 1) & mask;
  return at;
}

void PackedTraffic::grow_slots() {
  slots_.assign(std::max<std::size_t>(8, 2 * slots_.size()), 0);
  for (std::size_t i = 0; i < bytes_.size(); ++i)
    slots_[slot_of(bytes_[i], messages_[i])] = static_cast<std::uint32_t>(i + 1);
}

/// Gives each entry an amount of its own, because there are too many different amounts.
void PackedTraffic::stop_sharing() {
  slots_ = std::vector<std::uint32_t>();
  PackedColumn bytes;
  PackedColumn messages;
  for (std::size_t i = 0; i < amounts_.size(); ++i) {
    const auto index = static_cast<std::size_t>(amounts_[i]);
    bytes.push_back(bytes_[index]);
    messages.push_back(messages_[index]);
    amounts_.forget_before(i);
  }
  bytes_ = std::move(bytes);
  messages_ = std::move(messages);
  amounts_ = {};
  shared_ = false;
}

void TrafficEntries::Iterator::find_source() {
  const std::vector<std::size_t>& first = packed_->first();
  const auto above = std::ranges::upper_bound(first, position_);
  // Every row begins before a position behind the last entry, so it counts to the last row.
  const auto row = static_cast<std::size_t>(above - first.begin());
  source_ = std::min(row > 0 ? row - 1 : 0, first.size() >= 2 ? first.size() - 2 : 0);
}

}  // namespace topowise
