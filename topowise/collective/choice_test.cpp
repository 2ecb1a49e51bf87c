// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <string>

#include <topowise/collective/choice.hpp>

using namespace topowise::collective;

namespace {

std::string order(Collective collective, const Layout& layout, std::uint64_t bytes, const Tuning& tuning = {}) {
  std::string text;
  for (const std::size_t algorithm : preferred_algorithms(collective, layout, bytes, tuning))
    text += (text.empty() ? "" : " ") + std::string(algorithms()[algorithm].name);
  return text;
}

Layout bonded(int gpus) {
  Layout layout = layout_in_turn(gpus, gpus);
  layout.bonded = true;
  return layout;
}

}  // namespace

TEST_CASE("size, ranks and wires choose the algorithm") {
  constexpr std::uint64_t kLong = 8 << 20;
  CHECK(order(Collective::allreduce, layout_in_turn(8), 4) == "leader-fused staged-host");
  CHECK(order(Collective::allreduce, layout_in_turn(8), kLong) == "leader-fused staged-host");
  CHECK(order(Collective::allreduce, bonded(8), 4) == "one-shot leader-fused staged-host");
  CHECK(order(Collective::allreduce, bonded(8), kLong) == "two-shot leader-fused staged-host");
  CHECK(order(Collective::allreduce, layout_in_turn(4, 2), kLong) == "two-shot leader-fused staged-host");
  CHECK(order(Collective::allreduce, layout_in_turn(8, 8, 2), 4) == "one-shot leader-fused staged-host");
  CHECK(order(Collective::allreduce, layout_in_turn(8, 8, 2), kLong) == "ring leader-fused staged-host");
  CHECK(order(Collective::allgather, bonded(8), kLong) == "leader-fused staged-host");
  Layout cluster = bonded(8);
  cluster.nodes = 4;
  CHECK(order(Collective::allreduce, cluster, kLong) == "leader-fused staged-host");
}

TEST_CASE("what was measured comes first, at the nearest size of as many ranks on as many GPUs") {
  const std::size_t binomial = find_algorithm("binomial");
  const std::size_t ring = find_algorithm("ring");
  const Tuning tuning{{{.ranks = 8, .gpus = 8, .sizes = {{1024, binomial}, {1 << 20, ring}}}, {.ranks = 4, .gpus = 1}}};
  CHECK(order(Collective::allreduce, bonded(8), 4, tuning) == "binomial one-shot leader-fused staged-host");
  CHECK(order(Collective::allreduce, bonded(8), 32767, tuning) == "binomial one-shot leader-fused staged-host");
  CHECK(order(Collective::allreduce, bonded(8), 32769, tuning) == "ring one-shot leader-fused staged-host");
  CHECK(order(Collective::allreduce, bonded(8), 1U << 30U, tuning) == "ring two-shot leader-fused staged-host");
  CHECK(order(Collective::allreduce, bonded(4), 4, tuning) == "one-shot leader-fused staged-host");
  CHECK(order(Collective::allreduce, layout_in_turn(4), 4, tuning) == "leader-fused staged-host");
  CHECK(order(Collective::broadcast, bonded(8), 4, tuning) == "leader-fused staged-host");
}
