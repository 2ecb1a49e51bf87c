// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/view/gap_text.hpp>

#include <doctest/doctest.h>

#include <string>

#include <topowise/base/random.hpp>

using namespace topowise;
using namespace topowise::cli;

TEST_CASE("the gap is rounded up, with digits that show it") {
  CHECK(gap_text(103, 100, "mapping") == "at most 3.0% above the optimum");
  CHECK(gap_text(103.01, 100, "mapping") == "at most 3.1% above the optimum");
  CHECK(gap_text(100.1, 100, "mapping") == "at most 0.1% above the optimum");
  CHECK(gap_text(100.02, 100, "mapping") == "at most 0.020% above the optimum");
  CHECK(gap_text(1e6 + 1, 1e6, "mapping") == "at most 0.00010% above the optimum");
  CHECK(gap_text(200, 100, "mapping") == "at most 100.0% above the optimum");
}

TEST_CASE("a bound of less than half says nothing about the answer") {
  CHECK(gap_text(201, 100, "mapping") == "too weak to judge the mapping by");
  CHECK(gap_text(1e300, 1e-300, "order") == "too weak to judge the order by");
}

TEST_CASE("what is printed is never below the gap, and above it by a tenth of a percent at most") {
  Random random(3);
  const std::string before = "at most ";
  for (int i = 0; i < 2000; ++i) {
    const double percent = 100 * random.unit() * (i % 2 == 0 ? 1 : 1e-3);
    CAPTURE(percent);
    const double printed = std::stod(gap_text(100 + percent, 100, "mapping").substr(before.size()));
    CHECK(printed >= percent - 1e-9);
    CHECK(printed <= percent + 0.1 + 1e-9);
  }
}
