// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <topowise/collective/measure_collectives.hpp>

using namespace topowise;
using namespace topowise::collective;

TEST_CASE("share of what memory allows: 2 N m bytes of the GPU with the most ranks") {
  const MeasureOptions options{.ranks = 16};
  Measurement measured{.gpus = 1, .memory = BytesPerSecond(1000)};
  const SizeTimes times{.bytes = 100, .mean = Seconds(4)};
  CHECK(share_of_memory_bound(measured, options, times) == doctest::Approx(0.8));
  measured.gpus = 3;  // 6, 5 and 5 ranks
  CHECK(share_of_memory_bound(measured, options, times) == doctest::Approx(0.3));
  CHECK_FALSE(share_of_memory_bound(measured, options, SizeTimes{.bytes = 100}));
  measured.memory = BytesPerSecond(0);
  CHECK_FALSE(share_of_memory_bound(measured, options, times));
}

TEST_CASE("what must be moved at least, of all collectives, is what leader-fused moves on one GPU") {
  for (const int ranks : {1, 2, 5, 16}) {
    CHECK(least_bytes(Collective::allreduce, ranks, 1, 8) == 16 * ranks);
    CHECK(least_bytes(Collective::reduce, ranks, 1, 8) == 8 * (ranks + 1));
    CHECK(least_bytes(Collective::broadcast, ranks, 1, 8) == 8 * ranks);
    // The sizes of these are those of a share: the whole vector has N of them.
    CHECK(least_bytes(Collective::allgather, ranks, 1, 8) == 8 * ranks * (ranks + 1));
    CHECK(least_bytes(Collective::reduce_scatter, ranks, 1, 8) == 8 * ranks * (ranks + 1));
  }
}
