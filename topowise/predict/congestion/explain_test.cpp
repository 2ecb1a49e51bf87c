// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <tests/paper_machines.hpp>
#include <topowise/predict/congestion/explain.hpp>

using namespace topowise;
using namespace topowise::testing;

namespace {

std::vector<Slowdown> explained(const Topology& topology, const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                                CongestionModelName name = CongestionModelName::automatic) {
  CongestionModel model(topology, name);
  std::vector<CongestionModel::Flow> flows;
  for (const auto& [from, to] : pairs) flows.push_back(model.flow(Place(from), Place(to)));
  return explain(model, flows);
}

}  // namespace

TEST_CASE("explain: the example of the paper") {
  const std::vector<Slowdown> found = explained(t2_machine(), {{0, 2}, {1, 4}, {3, 2}, {6, 4}});
  CHECK(found[0].rule == SlowdownRule::head_of_line);
  CHECK(found[0].port == "B -> K2");
  CHECK(found[0].other == 1);
  CHECK(found[1].rule == SlowdownRule::root_complex);
  CHECK(found[1].port == "B -> K2");
  CHECK(found[1].other == 3);
  CHECK(found[2].rule == SlowdownRule::downstream);
  CHECK(found[2].port == "K1 -> GPU2");
  CHECK(found[2].other == 0);
  CHECK(found[3].rule == SlowdownRule::root_complex);
}

TEST_CASE("explain: upstream, nothing, and a link outside PCIe") {
  const std::vector<Slowdown> shared = explained(t2_machine(), {{0, 3}, {1, 2}, {4, 0}});
  CHECK(shared[0].rule == SlowdownRule::upstream);
  CHECK(shared[0].port == "K0 -> A");
  CHECK(shared[0].other == 1);
  CHECK(shared[2].rule == SlowdownRule::none);  // tau without another message is no slowdown
  CHECK(shared[2].share == doctest::Approx(1.0));
  const std::vector<Slowdown> across = explained(two_socket_machine(BytesPerSecond(3e9)), {{0, 2}, {1, 2}});
  CHECK(across[0].rule == SlowdownRule::fair_share);
  CHECK(across[0].port == "socket 0 -> socket 1");
  CHECK(across[0].other == 1);
  CHECK(to_string(across[0].rule) == "fair share");
}
