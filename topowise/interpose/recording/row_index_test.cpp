// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <deque>
#include <map>

#include <topowise/base/random.hpp>
#include <topowise/interpose/recording/row_index.hpp>

using topowise::interpose::RowIndex;

TEST_CASE("an empty index knows nothing") {
  const RowIndex<int> index;
  CHECK(index.find({0, 0}) == nullptr);
  CHECK(index.size() == 0);
}

TEST_CASE("every key keeps its own row while the index grows") {
  RowIndex<int> index;
  std::deque<int> rows;
  std::map<std::pair<std::uint64_t, std::uint64_t>, int*> expected;
  topowise::Random random(7);
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t high = random.below(3);  // the usual shape: few groups, many partners
    const std::uint64_t low = random.below(4000);
    if (expected.contains({high, low})) continue;
    rows.push_back(i);
    expected[{high, low}] = &rows.back();
    index.insert({high, low}, &rows.back());
  }
  CHECK(index.size() == expected.size());
  for (const auto& [key, row] : expected) {
    int* const* found = index.find({key.first, key.second});
    REQUIRE(found != nullptr);
    CHECK(*found == row);
  }
  CHECK(index.find({3, 0}) == nullptr);
  CHECK(index.find({0, 4000}) == nullptr);
}

TEST_CASE("a key may be noted as having no row") {
  RowIndex<int> index;
  index.insert({1, 2}, nullptr);
  REQUIRE(index.find({1, 2}) != nullptr);
  CHECK(*index.find({1, 2}) == nullptr);
}
