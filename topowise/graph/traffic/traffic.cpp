// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/traffic/traffic.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/first_index.hpp>
#include <topowise/base/saturating.hpp>

namespace topowise {
namespace {

std::string rank_error(std::size_t rank, std::size_t ranks) {
  return fmt::format("traffic names rank {}, but has only ranks 0 to {}", rank, ranks - 1);
}

void check(const TrafficEntry& entry, std::size_t ranks) {
  for (const Rank rank : {entry.source, entry.destination}) {
    if (rank.index() >= ranks) throw bad_input(rank_error(rank.index(), ranks));
  }
  if (!std::isfinite(entry.bytes.value()) || entry.bytes.value() < 0) {
    throw bad_input(fmt::format("traffic from rank {} to rank {} is '{}' bytes", entry.source.index(),
                                entry.destination.index(), entry.bytes.value()));
  }
}

}  // namespace

Traffic Traffic::with_groups(std::vector<RankGroups> groups) const {
  Traffic traffic = *this;
  traffic.groups_ = std::make_shared<const std::vector<RankGroups>>(std::move(groups));
  return traffic;
}

void Traffic::check_ranks(std::size_t ranks, std::size_t most) {
  if (ranks == 0) throw bad_input("traffic has no ranks");
  if (!Rank::checked(ranks - 1))
    throw bad_input(fmt::format("traffic of {} ranks; at most {} can be told apart", ranks, Rank::kMost + 1));
  if (most >= ranks) throw bad_input(rank_error(most, ranks));
}

Traffic Traffic::from_entries(std::size_t ranks, std::vector<TrafficEntry> entries) {
  check_ranks(ranks, 0);
  for (const TrafficEntry& entry : entries) check(entry, ranks);
  // The order includes the amounts, so that the same input in any order gives the same sum of doubles. Sorts in place,
  // because there may be many entries.
  const auto whole = [](const TrafficEntry& e) {
    return std::tuple(e.source, e.destination, e.bytes.value(), e.messages);
  };
  if (!std::ranges::is_sorted(entries, {}, whole)) std::ranges::sort(entries, {}, whole);

  PackedTraffic packed;
  for (std::size_t i = 0; i < entries.size();) {
    TrafficEntry sum = entries[i];
    for (++i; i < entries.size() && entries[i].source == sum.source && entries[i].destination == sum.destination; ++i) {
      sum.bytes += entries[i].bytes;
      sum.messages = saturating_sum(sum.messages, entries[i].messages);
    }
    if (sum.bytes.value() != 0 || sum.messages != 0) packed.append(sum);
  }
  return from_packed(ranks, std::move(packed));
}

Traffic Traffic::from_packed(std::size_t ranks, PackedTraffic packed) {
  packed.finish(ranks);
  auto parts = std::make_shared<Parts>();
  for (std::size_t i = 0; i < packed.size(); ++i) parts->total += packed.bytes(i);
  if (!std::isfinite(parts->total.value())) throw bad_input("the bytes of the traffic add up to infinity");
  parts->packed = std::move(packed);
  return Traffic(std::move(parts));
}

TrafficEntries Traffic::sent_by(Rank source) const {
  const std::vector<std::size_t>& first = parts_->packed.first();
  return {parts_->packed, first[source.index()], first[source.index() + 1]};
}

Bytes Traffic::bytes(Rank source, Rank destination) const {
  const PackedTraffic& packed = parts_->packed;
  const std::size_t end = packed.first()[source.index() + 1];
  const std::size_t found = first_index(packed.first()[source.index()], end,
                                        [&](std::size_t i) { return packed.destination(i) < destination; });
  return found != end && packed.destination(found) == destination ? packed.bytes(found) : Bytes();
}

}  // namespace topowise
