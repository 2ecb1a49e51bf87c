// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <topowise/collective/amortisation.hpp>

using namespace topowise;
using namespace topowise::collective;

namespace {

AlgorithmTimes times(double initialisation, double mean) {
  return {.used = true,
          .initialisation = Seconds(initialisation),
          .timings = {{.bytes = 4, .mean = Seconds(9)}, {.bytes = 8, .mean = Seconds(mean)}}};
}

}  // namespace

TEST_CASE("calls that pay for the initialisation") {
  const AlgorithmTimes staged = times(7, 5);
  CHECK(calls_to_amortise(times(30, 2), staged, 1) == 10);
  CHECK(calls_to_amortise(times(31, 2), staged, 1) == 11);
  CHECK(calls_to_amortise(times(1, 2), staged, 1) == 1);
  CHECK(calls_to_amortise(times(0, 2), staged, 1) == 0);
  // The oracle counts.
  for (int initialisation = 1; initialisation < 60; ++initialisation) {
    std::uint64_t calls = 0;
    while (initialisation + 2.0 * static_cast<double>(calls) > 5.0 * static_cast<double>(calls)) ++calls;
    CHECK(calls_to_amortise(times(initialisation, 2), staged, 1) == calls);
  }
}

TEST_CASE("what is not faster never pays") {
  const AlgorithmTimes staged = times(7, 5);
  CHECK_FALSE(calls_to_amortise(times(1, 5), staged, 1));
  CHECK_FALSE(calls_to_amortise(times(0, 5), staged, 1));
  CHECK_FALSE(calls_to_amortise(times(1, 6), staged, 1));
  CHECK_FALSE(calls_to_amortise(times(1, 5 - 1e-15), staged, 1));
  CHECK_FALSE(calls_to_amortise(AlgorithmTimes{}, staged, 1));
  CHECK_FALSE(calls_to_amortise(staged, AlgorithmTimes{}, 1));
}
