// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/traffic.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <topowise/base/error.hpp>

namespace topowise {
namespace {

void check(const TrafficEntry& entry, std::size_t ranks) {
  for (const Rank rank : {entry.source, entry.destination}) {
    if (rank.index() >= ranks)
      throw bad_input(fmt::format("traffic names rank {}, but has only ranks 0 to {}", rank.index(), ranks - 1));
  }
  if (!std::isfinite(entry.bytes.value()) || entry.bytes.value() < 0) {
    throw bad_input(fmt::format("traffic from rank {} to rank {} is '{}' bytes", entry.source.index(),
                                entry.destination.index(), entry.bytes.value()));
  }
}

}  // namespace

Traffic Traffic::from_entries(std::size_t ranks, std::vector<TrafficEntry> entries) {
  if (ranks == 0) throw bad_input("traffic has no ranks");
  if (!Rank::checked(ranks - 1))
    throw bad_input(fmt::format("traffic of {} ranks; at most {} can be told apart", ranks, Rank::kMost + 1));
  for (const TrafficEntry& entry : entries) check(entry, ranks);
  // With the amounts: the same sum of doubles for the same input, in any order. In place: there may be many.
  const auto whole = [](const TrafficEntry& e) {
    return std::tuple(e.source, e.destination, e.bytes.value(), e.messages);
  };
  if (!std::ranges::is_sorted(entries, {}, whole)) std::ranges::sort(entries, {}, whole);

  auto parts = std::make_shared<Parts>();
  parts->first.assign(ranks + 1, 0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const TrafficEntry entry = entries[i];
    if (entry.bytes.value() == 0 && entry.messages == 0) continue;
    TrafficEntry* last = kept > 0 ? &entries[kept - 1] : nullptr;
    if (last != nullptr && last->source == entry.source && last->destination == entry.destination) {
      last->bytes += entry.bytes;
      last->messages += entry.messages;
    } else {
      entries[kept++] = entry;
      ++parts->first[entry.source.index() + 1];
    }
    parts->total += entry.bytes;
  }
  entries.resize(kept);
  if (entries.size() < entries.capacity() / 2) entries.shrink_to_fit();
  parts->entries = std::move(entries);
  if (!std::isfinite(parts->total.value())) throw bad_input("the bytes of the traffic add up to infinity");
  for (std::size_t r = 0; r < ranks; ++r) parts->first[r + 1] += parts->first[r];
  return Traffic(std::move(parts));
}

std::span<const TrafficEntry> Traffic::sent_by(Rank source) const {
  const std::size_t begin = parts_->first[source.index()];
  return entries().subspan(begin, parts_->first[source.index() + 1] - begin);
}

Bytes Traffic::bytes(Rank source, Rank destination) const {
  const std::span<const TrafficEntry> sent = sent_by(source);
  const auto found = std::ranges::lower_bound(sent, destination, {}, &TrafficEntry::destination);
  return found != sent.end() && found->destination == destination ? found->bytes : Bytes();
}

}  // namespace topowise
