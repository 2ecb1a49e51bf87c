// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/saturating.hpp>
#include <topowise/graph/traffic/traffic_builder.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace topowise {
namespace {

/// A merge does not pay for fewer entries than this.
constexpr std::size_t kFew = std::size_t{1} << 16;

std::pair<Rank, Rank> pair_of(const TrafficEntry& entry) {
  return {entry.source, entry.destination};
}

}  // namespace

void TrafficBuilder::add(const TrafficEntry& entry) {
  most_ = std::max({most_, entry.source.index(), entry.destination.index()});
  if (entry.bytes.value() == 0 && entry.messages == 0) return;
  if (gathered_.empty() && (packed_.size() == 0 || pair_of(last_) < pair_of(entry))) return append(entry);
  const std::size_t enough = std::max(kFew, packed_.size() / 16);
  if (gathered_.size() >= kFew && gathered_.capacity() < enough) gathered_.reserve(enough);
  gathered_.push_back(entry);
  if (gathered_.size() >= enough) merge();
}

void TrafficBuilder::append(const TrafficEntry& entry) {
  packed_.append(entry);
  last_ = entry;
}

void TrafficBuilder::merge() {
  if (gathered_.empty()) return;
  // The order includes the amounts, so that the same entries in any order give the same sum of doubles.
  std::ranges::sort(gathered_, {},
                    [](const TrafficEntry& e) { return std::tuple(pair_of(e), e.bytes.value(), e.messages); });
  packed_.finish(most_ + 1);
  PackedTraffic before = std::exchange(packed_, {});
  const TrafficEntries old(before, 0, before.size());
  auto next = gathered_.begin();
  const auto take_gathered = [&](TrafficEntry& sum) {
    for (; next != gathered_.end() && pair_of(*next) == pair_of(sum); ++next) {
      sum.bytes += next->bytes;
      sum.messages = saturating_sum(sum.messages, next->messages);
    }
  };
  const auto take_before = [&](const TrafficEntry* limit) {
    while (next != gathered_.end() && (limit == nullptr || pair_of(*next) < pair_of(*limit))) {
      TrafficEntry sum = *next++;
      take_gathered(sum);
      append(sum);
    }
  };
  for (auto at = old.begin(); at != old.end(); ++at) {
    TrafficEntry entry = *at;
    take_before(&entry);
    take_gathered(entry);
    append(entry);
    before.forget_before(static_cast<std::size_t>(at - old.begin()));
  }
  take_before(nullptr);
  gathered_ = std::vector<TrafficEntry>();  // so that a larger one needs no copy of this one
}

Traffic TrafficBuilder::finish(std::size_t ranks) && {
  Traffic::check_ranks(ranks, most_);
  merge();
  gathered_ = std::vector<TrafficEntry>();
  return Traffic::from_packed(ranks, std::move(packed_));
}

}  // namespace topowise
