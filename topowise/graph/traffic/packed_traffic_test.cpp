// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/traffic/packed_traffic.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/graph/traffic/traffic_builder.hpp>

using namespace topowise;

namespace {

TrafficEntry entry(std::size_t source, std::size_t destination, double bytes, std::uint64_t messages) {
  return {Rank(source), Rank(destination), Bytes(bytes), messages};
}

/// Entries that repeat pairs. The amounts are whole numbers: their sums do not depend on the order.
std::vector<TrafficEntry> random_entries(Random& random, std::uint32_t ranks, std::size_t count,
                                         std::uint32_t amounts) {
  std::vector<TrafficEntry> entries;
  for (std::size_t i = 0; i < count; ++i)
    entries.push_back(
        entry(random.below(ranks), random.below(ranks), static_cast<double>(random.below(amounts)), random.below(3)));
  return entries;
}

}  // namespace

TEST_CASE("numbers of a packed column stay as they are while it grows wider") {
  PackedColumn column;
  std::vector<std::uint64_t> numbers;
  Random random(1);
  for (std::size_t i = 0; i < 100000; ++i) {
    const unsigned bits = i < 20000 ? 8 : i < 40000 ? 16 : i < 60000 ? 24 : i < 80000 ? 32 : 63;
    numbers.push_back(random() >> (64 - bits));
    column.push_back(numbers.back());
  }
  REQUIRE(column.size() == numbers.size());
  bool same = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) same = same && column[i] == numbers[i];
  CHECK(same);
  column.forget_before(70000);
  for (std::size_t i = 70000; i < numbers.size(); ++i) same = same && column[i] == numbers[i];
  CHECK(same);
}

TEST_CASE("a builder gives what all entries together give, in whatever order they come") {
  Random random(2);
  struct Case {
    std::uint32_t ranks;
    std::size_t count;
    std::uint32_t amounts;
  };
  for (const Case& each : {Case{7, 300, 4}, Case{250, 70000, 9}, Case{250, 70000, 1000000000}, Case{70000, 80000, 3},
                           Case{1, 5, 5}, Case{3, 0, 1}}) {
    const std::uint32_t ranks = each.ranks;
    const std::uint32_t amounts = each.amounts;
    CAPTURE(ranks);
    CAPTURE(amounts);
    std::vector<TrafficEntry> entries = random_entries(random, ranks, each.count, amounts);
    std::map<std::pair<std::size_t, std::size_t>, std::pair<double, std::uint64_t>> sums;
    TrafficBuilder builder;
    for (const TrafficEntry& e : entries) {
      auto& [bytes, messages] = sums[{e.source.index(), e.destination.index()}];
      bytes += e.bytes.value();
      messages += e.messages;
      builder.add(e);
    }
    std::erase_if(sums, [](const auto& sum) { return sum.second == std::pair(0.0, std::uint64_t{0}); });
    const Traffic built = std::move(builder).finish(ranks);
    const Traffic whole = Traffic::from_entries(ranks, std::move(entries));
    CHECK(built.ranks() == ranks);
    CHECK(std::ranges::equal(built.entries(), whole.entries()));
    CHECK(built.total_bytes() == whole.total_bytes());
    CHECK(std::ranges::equal(built.entries(), sums, [](const TrafficEntry& e, const auto& sum) {
      return e == entry(sum.first.first, sum.first.second, sum.second.first, sum.second.second);
    }));
  }
}

TEST_CASE("entries are found by position and by row, from either end") {
  Random random(3);
  const Traffic traffic = Traffic::from_entries(40, random_entries(random, 40, 300, 5));
  const TrafficEntries entries = traffic.entries();
  const std::vector<TrafficEntry> list(entries.begin(), entries.end());
  REQUIRE(list.size() == entries.size());
  auto back = entries.end();
  for (std::size_t i = list.size(); i-- > 0;) {
    CHECK(entries[i] == list[i]);
    CHECK(*--back == list[i]);
    CHECK(traffic.bytes(list[i].source, list[i].destination) == list[i].bytes);
  }
  std::size_t seen = 0;
  for (std::size_t rank = 0; rank < traffic.ranks(); ++rank) {
    for (const TrafficEntry& e : traffic.sent_by(Rank(rank))) CHECK(e == list[seen++]);
  }
  CHECK(seen == list.size());
}
