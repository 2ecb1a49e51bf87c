// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/traffic.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
  const auto key = [](const TrafficEntry& e) { return std::pair(e.source, e.destination); };
  std::ranges::stable_sort(entries, {}, key);  // stable: the same sum of doubles for the same input

  auto parts = std::make_shared<Parts>();
  parts->first.assign(ranks + 1, 0);
  for (const TrafficEntry& entry : entries) {
    if (entry.bytes.value() == 0 && entry.messages == 0) continue;
    if (!parts->entries.empty() && key(parts->entries.back()) == key(entry)) {
      parts->entries.back().bytes += entry.bytes;
      parts->entries.back().messages += entry.messages;
    } else {
      parts->entries.push_back(entry);
      ++parts->first[entry.source.index() + 1];
    }
    parts->total += entry.bytes;
  }
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
