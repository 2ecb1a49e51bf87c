// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/predict/congestion/explain.hpp>

#include <doctest/doctest.h>

#include <tests/paper_machines.hpp>
#include <topowise/base/random.hpp>

using namespace topowise;
using namespace topowise::testing;

namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

struct Set {
  Set(CongestionModel& model, const Pairs& pairs) {
    for (const auto& [from, to] : pairs) flows.push_back(model.flow(Place(from), Place(to)));
    stages = factor_stages(model, flows);
    rates.resize(flows.size());
    model.rates(flows, rates);
  }
  std::vector<CongestionModel::Flow> flows;
  std::vector<std::optional<FactorStages>> stages;
  std::vector<double> rates;
};

}  // namespace

TEST_CASE("Table I of SC'16 has a column for each step") {
  CongestionModel model(t2_machine(), CongestionModelName::pcie_sc16, {.tau = 0.2});
  const Set set(model, {{0, 2}, {1, 4}, {3, 2}, {6, 4}});
  const double columns[4][5] = {
      {1, 0.5, 0.5, 0.3, 0.3}, {1, 0.5, 0.3, 0.3, 0.3}, {1, 1, 0.5, 0.5, 0.7}, {1, 1, 0.7, 0.7, 0.7}};
  for (std::size_t c = 0; c < 4; ++c) {
    REQUIRE(set.stages[c]);
    CHECK(set.stages[c]->source == doctest::Approx(columns[c][0]));
    CHECK(set.stages[c]->upstream == doctest::Approx(columns[c][1]));
    CHECK(set.stages[c]->downstream == doctest::Approx(columns[c][2]));
    CHECK(set.stages[c]->head_of_line == doctest::Approx(columns[c][3]));
    CHECK(set.stages[c]->freed == doctest::Approx(columns[c][4]));
  }
}

TEST_CASE("random sets: steps B to D only take, the last one gives back, and it is the model's rate") {
  for (const CongestionModelName name :
       {CongestionModelName::pcie_sc16, CongestionModelName::pcie_filled, CongestionModelName::automatic}) {
    CongestionModel model(t1_machine(), name);
    Random random(3);
    for (int round = 0; round < 200; ++round) {
      Pairs pairs;
      for (std::size_t from = 0; from < 8; ++from) {
        const std::size_t to = random.below(8);
        if (to != from) pairs.emplace_back(from, to);
      }
      const Set set(model, pairs);
      for (std::size_t c = 0; c < pairs.size(); ++c) {
        const FactorStages& of = *set.stages[c];
        CHECK(of.upstream <= of.source + 1e-9);
        CHECK(of.downstream <= of.upstream + 1e-9);
        CHECK(of.head_of_line <= of.downstream + 1e-9);
        CHECK(of.freed >= of.head_of_line - 1e-9);
        CHECK(of.freed * model.unit().value() == doctest::Approx(set.rates[c]));
      }
    }
  }
}

TEST_CASE("what leaves the tree, and what does not follow the paper, has no stages") {
  CongestionModel across(two_socket_machine(BytesPerSecond(3e9)), CongestionModelName::automatic);
  const Set set(across, {{0, 1}, {0, 2}, {0, 3}});
  CHECK(set.stages[0]);
  CHECK_FALSE(set.stages[1]);  // the message goes between sockets
  CHECK_FALSE(set.stages[2]);  // the message uses the bond
  const Set bond(across, {{0, 3}});
  CHECK_FALSE(bond.stages[0]);
  CongestionModel fair(t2_machine(), CongestionModelName::max_min);
  CHECK_FALSE(Set(fair, {{0, 1}}).stages[0]);
  CHECK(factor_stages(fair, {}).empty());
}
