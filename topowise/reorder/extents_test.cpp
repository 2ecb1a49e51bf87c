// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reorder/extents.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>

using namespace topowise;

namespace {

JobMachine hosts(std::size_t count, std::size_t each) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count * each; ++i) names.push_back(fmt::format("h{}", i / each));
  return equal_hosts(names);
}

constexpr std::array<bool, 2> kOpen{false, false};

}  // namespace

TEST_CASE("a long thin grid on four hosts would cost less as a square") {
  const std::array<int, 2> thin{16, 1};
  const auto better = better_extents(thin, kOpen, hosts(4, 4));
  REQUIRE(better);
  CHECK(better->extents == std::vector<int>{4, 4});
  CHECK(better->cost < better->cost_now);
  // 4 x 4 in four squares of 2 x 2: 16 edges of weight 4 lie between squares.
  // 16 x 1 in a row: 3 cuts, with one edge of weight 16 in each direction.
  CHECK(better->cost / better->cost_now == doctest::Approx(16 * 4 / (3 * 2 * 16.0)));
}

TEST_CASE("the best extents have no better ones") {
  const std::array<int, 2> square{4, 4};
  CHECK(!better_extents(square, kOpen, hosts(4, 4)));
}

TEST_CASE("one host has none") {
  const std::array<int, 2> thin{8, 1};
  CHECK(!better_extents(thin, kOpen, hosts(1, 8)));
}
