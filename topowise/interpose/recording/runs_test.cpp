// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <topowise/base/random.hpp>
#include <topowise/interpose/recording/collective.hpp>

using namespace topowise::interpose;
using topowise::profile::kOutside;
using topowise::profile::Run;

namespace {

std::vector<std::int32_t> expand(const std::vector<Run>& runs) {
  std::vector<std::int32_t> ranks;
  for (const Run& run : runs)
    for (std::uint64_t i = 0; i < run.length; ++i)
      ranks.push_back(run.first + static_cast<std::int32_t>(i) * run.stride);
  return ranks;
}

}  // namespace

TEST_CASE("blocks, columns and reversed lists are one run") {
  CHECK(compress(std::vector<std::int32_t>{4, 5, 6, 7}).size() == 1);
  CHECK(compress(std::vector<std::int32_t>{1, 5, 9, 13}).size() == 1);
  CHECK(compress(std::vector<std::int32_t>{3, 2, 1, 0}).size() == 1);
  CHECK(compress(std::vector<std::int32_t>{9}).size() == 1);
  CHECK(compress({}).empty());
}

TEST_CASE("members of another job share no run with ours") {
  const std::vector<Run> runs = compress(std::vector<std::int32_t>{0, 1, kOutside, kOutside, 5});
  REQUIRE(runs.size() == 3);
  CHECK(runs[1].first == kOutside);
  CHECK(runs[1].stride == 0);
  CHECK(runs[1].length == 2);
  CHECK(compress(std::vector<std::int32_t>{1, 0, kOutside}).size() == 2);
}

TEST_CASE("what was compressed comes back") {
  topowise::Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int32_t> ranks;
    for (std::uint32_t i = random.below(40); i > 0; --i)
      ranks.push_back(random.below(5) == 0 ? kOutside : static_cast<std::int32_t>(random.below(8)));
    CHECK(expand(compress(ranks)) == ranks);
  }
}
