// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <topowise/collective/measure.hpp>

using namespace topowise;
using namespace topowise::collective;

TEST_CASE("share of what memory allows: 2 N m bytes of the GPU with the most ranks") {
  Measurement measured{.gpus = 1, .memory = BytesPerSecond(1000)};
  const SizeTimes times{.bytes = 100, .mean = Seconds(4)};
  CHECK(share_of_memory_bound(measured, 16, times) == doctest::Approx(0.8));
  measured.gpus = 3;  // 6, 5 and 5 ranks
  CHECK(share_of_memory_bound(measured, 16, times) == doctest::Approx(0.3));
  CHECK_FALSE(share_of_memory_bound(measured, 16, SizeTimes{.bytes = 100}));
  measured.memory = BytesPerSecond(0);
  CHECK_FALSE(share_of_memory_bound(measured, 16, times));
}
