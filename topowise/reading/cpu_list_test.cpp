// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/cpu_list.hpp>

#include <doctest/doctest.h>

using namespace topowise;

TEST_CASE("a list is written as Linux writes it") {
  CHECK(to_cpu_list(std::vector<int>{}).empty());
  CHECK(to_cpu_list(std::vector<int>{0, 1, 2, 8, 10, 11}) == "0-2,8,10-11");
}

TEST_CASE("cpulists") {
  CHECK(parse_cpu_list("0-19,40-59") == CpuRanges{{0, 19}, {40, 59}});
  CHECK(parse_cpu_list("8-8,0,16") == CpuRanges{{0, 0}, {8, 8}, {16, 16}});
  CHECK_FALSE(parse_cpu_list("-31,64-95"));
  CHECK_FALSE(parse_cpu_list("5-3"));
  CHECK_FALSE(parse_cpu_list(""));
  CHECK_FALSE(parse_cpu_list("0-99999999999"));
}

TEST_CASE("a list that has lost a digit overlaps another in part") {
  const auto overlap = [](std::string_view a, std::string_view b) {
    return partly_overlap(*parse_cpu_list(a), *parse_cpu_list(b));
  };
  CHECK(overlap("2-63,96-127", "32-63,96-127"));
  CHECK_FALSE(overlap("0-31,64-95", "32-63,96-127"));
  CHECK_FALSE(overlap("0-31", "0-31"));
}
