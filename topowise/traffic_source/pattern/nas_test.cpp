// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/traffic_source/pattern/pattern.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

struct Counted {
  double bytes = 0;
  std::uint64_t messages = 0;

  friend bool operator==(const Counted&, const Counted&) = default;
};

Counted all(const Traffic& traffic) {
  Counted sum;
  for (const TrafficEntry& entry : traffic.entries()) {
    sum.bytes += entry.bytes.value();
    sum.messages += entry.messages;
  }
  return sum;
}

Counted pair(const Traffic& traffic, std::size_t from, std::size_t to) {
  for (const TrafficEntry& entry : traffic.entries()) {
    if (entry.source == Rank(from) && entry.destination == Rank(to)) return {entry.bytes.value(), entry.messages};
  }
  return {};
}

}  // namespace

TEST_CASE(
    "NAS CG and MG send what the programs of NPB 3.4 sent, whose MPI_Send was counted in the timed part of class S") {
  struct Row {
    std::string_view name;
    std::size_t ranks;
    Counted sent;
  };
  constexpr Row kRows[] = {{"cg", 4, {13129920, 5520}},    {"cg", 8, {21943680, 20520}}, {"cg", 16, {48255360, 42600}},
                           {"cg", 32, {66142080, 123120}}, {"mg", 4, {1323264, 912}},    {"mg", 8, {1992192, 2736}},
                           {"mg", 16, {2777088, 5152}},    {"mg", 32, {3695616, 10048}}};
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CAPTURE(row.ranks);
    CHECK(all(pattern_traffic(fmt::format("pattern:nas-{}:{}:class=S", row.name, row.ranks))) == row.sent);
  }
  const Traffic cg = pattern_traffic("pattern:nas-cg:32:class=S");
  CHECK(pair(cg, 0, 1) == Counted{552480, 1185});
  CHECK(pair(cg, 0, 2) == Counted{552480, 1185});
  CHECK(pair(cg, 0, 4) == Counted{552480, 1185});
  CHECK(pair(cg, 5, 1) == Counted{552480, 1185});
  const Traffic mg = pattern_traffic("pattern:nas-mg:32:class=S");
  CHECK(pair(mg, 0, 1) == Counted{17344, 98});
  CHECK(pair(mg, 0, 8) == Counted{27936, 49});
  CHECK(pair(mg, 5, 4) == Counted{17344, 98});
  CHECK(pair(mg, 5, 29) == Counted{27936, 49});
}

TEST_CASE("NAS CG: one row of the grid's sums, and the transposition, by hand") {
  // 16 ranks: 4 x 4, 3,500 rows each; 15 x 26 vectors, 15 x 52 single numbers, 15 pairs of numbers to each partner.
  const Traffic square = pattern_traffic("pattern:nas-cg:16");
  const double sums = 8.0 * 15 * (26 * 3500 + 52 + 2);
  CHECK(pair(square, 0, 2) == Counted{sums, 15 * (26 + 52 + 1)});
  // Rank 6 is (1, 2). Rank 9, (2, 1), is its partner in the transposition only.
  CHECK(pair(square, 6, 9) == Counted{8.0 * 15 * 26 * 3500, 15 * 26});
  CHECK(pair(square, 5, 5) == Counted{});
  CHECK(pair(square, 0, 4) == Counted{});
  // 8 ranks: 2 x 4, halves of 7,000 rows.
  const Traffic oblong = pattern_traffic("pattern:nas-cg:8:class=A");
  CHECK(pair(oblong, 0, 2) == Counted{8.0 * 15 * (26 * 3500 + 52 + 2), 15 * 79});
  CHECK(pair(pattern_traffic("pattern:nas-cg:2:class=B"), 0, 1) == Counted{8.0 * 75 * (26 * 37500 + 52 + 2), 75 * 79});
}

TEST_CASE("NAS MG: a pair of ranks by hand, and classes") {
  // Two ranks cut the third axis. A level of n cells has a face of (n + 2)^2 numbers, twice to the same neighbour.
  double bytes = 0;
  std::uint64_t messages = 0;
  for (std::uint64_t n = 2; n <= 256; n *= 2) {
    const std::uint64_t times = n == 256 ? 13 : n == 2 ? 8 : 12;
    bytes += 8.0 * 2 * static_cast<double>(times * (n + 2) * (n + 2));
    messages += 2 * times;
  }
  CHECK(pair(pattern_traffic("pattern:nas-mg:2"), 0, 1) == Counted{bytes, messages});
  double before = 0;
  for (const char letter : std::string_view("SWABCDE")) {
    for (const std::string_view name : {"cg", "mg"})
      CHECK(all(pattern_traffic(fmt::format("pattern:nas-{}:8:class={}", name, letter))).bytes > 0);
    const double now = all(pattern_traffic(fmt::format("pattern:nas-mg:8:class={}", letter))).bytes;
    CHECK(now > before);
    before = now;
  }
  CHECK(all(pattern_traffic("pattern:nas-mg:1")) == Counted{});
}

TEST_CASE("NAS patterns in pieces are parts of the same whole, and what cannot be is refused") {
  for (const char* argument : {"pattern:nas-cg:32:class=S", "pattern:nas-mg:64:class=S"}) {
    Counted sum;
    for (std::size_t piece = 0; piece < 3; ++piece) {
      for (const TrafficEntry& entry : pattern_rows(argument, piece, 3).entries) {
        sum.bytes += entry.bytes.value();
        sum.messages += entry.messages;
      }
    }
    CHECK(sum == all(pattern_traffic(argument)));
  }
  CHECK_THROWS_WITH_AS((void)pattern_traffic("pattern:nas-cg:12"),
                       doctest::Contains("12 ranks: pattern 'nas-cg' needs a power of two"), Error);
  CHECK_THROWS_WITH_AS((void)pattern_traffic("pattern:nas-mg:131072:class=S"),
                       doctest::Contains("class S has 32 cells along an axis, which cannot be cut for 64 ranks"),
                       Error);
  CHECK_THROWS_WITH_AS((void)pattern_traffic("pattern:nas-mg:8:class=F"),
                       doctest::Contains("'F' is not S, W, A, B, C, D or E"), Error);
  CHECK_THROWS_WITH_AS((void)pattern_traffic("pattern:nas-mg:8:bytes=1"),
                       doctest::Contains("unknown key of pattern 'nas-mg'"), Error);
}
