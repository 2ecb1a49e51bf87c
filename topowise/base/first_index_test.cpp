// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/first_index.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace topowise;

TEST_CASE("the first index agrees with looking at one after the other") {
  for (std::size_t size = 0; size < 12; ++size) {
    for (std::size_t begin = 0; begin <= size; ++begin) {
      for (std::size_t small = 0; small <= size; ++small) {
        std::vector<int> numbers(size, 1);
        std::fill_n(numbers.begin(), small, 0);
        const std::size_t found = first_index(begin, size, [&](std::size_t i) { return numbers[i] == 0; });
        CHECK(found == std::max(begin, small));
      }
    }
  }
}
