// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <tests/paper_machines.hpp>
#include <topowise/base/error.hpp>
#include <topowise/predict/congestion/simulate.hpp>
#include <topowise/schedule/enumerate.hpp>
#include <topowise/schedule/orders.hpp>
#include <topowise/schedule/playback.hpp>
#include <topowise/schedule/symmetry.hpp>

using namespace topowise;
using namespace topowise::testing;

namespace {

constexpr double kMessage = 300.0 * 1024 * 1024;

/// The exchange with each source's messages in this order.
Exchange in_order(const OrderProblem& problem, const Exchange& exchange, const Order& order) {
  std::vector<Communication> messages;
  for (std::size_t q = 0; q < order.size(); ++q) {
    std::vector<std::size_t> next(problem.queues()[q].items.size(), 0);
    for (const ItemNumber item : order[q])
      messages.push_back(exchange.communications()[problem.queues()[q].items[item].messages[next[item]++]]);
  }
  return Exchange(std::move(messages));
}

/// Goes through all orders of all queues, one after the other, and plays each from the start.
std::vector<double> every_order(OrderProblem& problem) {
  Order order = problem.given();
  for (auto& queue : order) std::ranges::sort(queue);
  std::vector<double> times;
  for (;;) {
    times.push_back(play_order(problem, order));
    std::size_t q = 0;
    while (q < order.size() && !std::ranges::next_permutation(order[q]).found) ++q;
    if (q == order.size()) break;
  }
  std::ranges::sort(times);
  return times;
}

}  // namespace

TEST_CASE("enumerate: 2D halo of eight GPUs on T2, 20,736 orders") {
  const Topology topology = t2_machine();
  CongestionModel model(topology, CongestionModelName::pcie_sc16);
  const Exchange exchange = halo(std::vector{2, 4}, Bytes(kMessage));
  OrderProblem problem(model, exchange, identity_mapping(8));
  CHECK(problem.order_count() == 20736);
  CHECK(find_symmetries(problem).size() == 4);
  Enumeration found = enumerate_orders(problem);
  const double unit = kMessage / kPaperBandwidth.value();
  CHECK(found.complete);
  CHECK(found.evaluated == 20736);
  CHECK(found.best.value() / unit == doctest::Approx(5.0500).epsilon(1e-5));
  CHECK(found.times.quantile(0.5) / unit == doctest::Approx(7.5111).epsilon(1e-5));
  CHECK(found.worst.value() / unit == doctest::Approx(9.7317).epsilon(1e-5));
  RateMemo memo(model);
  for (const auto& [order, seconds] : {std::pair(found.best_order, found.best), {found.worst_order, found.worst}}) {
    const Simulation played = simulate(memo, in_order(problem, exchange, order), identity_mapping(8));
    CHECK(played.makespan.value() == doctest::Approx(seconds.value()).epsilon(1e-9));
  }
}

TEST_CASE("enumerate: the shared beginnings and symmetries give what playing every order gives") {
  const Topology topology = t1_machine();
  for (const auto name : {CongestionModelName::pcie_sc16, CongestionModelName::max_min}) {
    CongestionModel model(topology, name);
    // There are two messages of one kind, different sizes, and a place that sends nothing.
    std::vector<Communication> messages{message(0, 2, 1e6), message(0, 5, 1e6), message(0, 2, 1e6), message(1, 5, 3e6),
                                        message(1, 2, 1e6), message(4, 2, 2e6), message(4, 6, 2e6), message(6, 1, 1e6)};
    OrderProblem problem(model, Exchange(messages), identity_mapping(8));
    const std::vector<double> expected = every_order(problem);
    CHECK(problem.order_count() == static_cast<double>(expected.size()));
    Enumeration found = enumerate_orders(problem);
    CHECK(found.evaluated == static_cast<double>(expected.size()));
    CHECK(found.best.value() == doctest::Approx(expected.front()).epsilon(1e-9));
    CHECK(found.worst.value() == doctest::Approx(expected.back()).epsilon(1e-9));
    CHECK(found.times.quantile(0.5) == doctest::Approx(expected[(expected.size() - 1) / 2]).epsilon(1e-9));
  }
}

TEST_CASE("enumerate: symmetries of an exchange") {
  const Topology topology = t2_machine();
  CongestionModel model(topology, CongestionModelName::pcie_sc16);
  const auto symmetries = [&](const Exchange& exchange) {
    return find_symmetries(OrderProblem(model, exchange, identity_mapping(8))).size();
  };
  CHECK(symmetries(halo(std::vector{2, 2, 2}, Bytes(kMessage))) == 8);
  CHECK(symmetries(all_to_all(8, Bytes(kMessage))) == 128);
  CHECK(symmetries(scatter(8, Bytes(kMessage))) == 16);
  CHECK(symmetries(Exchange({message(0, 1, 1e6), message(2, 3, 2e6)})) == 1);
  CHECK(symmetries(Exchange({message(0, 1, 1e6), message(4, 5, 1e6)})) == 2);
}

TEST_CASE("enumerate: a stopped enumeration keeps the best so far") {
  const Topology topology = t2_machine();
  CongestionModel model(topology, CongestionModelName::pcie_sc16);
  OrderProblem problem(model, all_to_all(5, Bytes(kMessage)), identity_mapping(8));
  int calls = 0;
  Enumeration found = enumerate_orders(problem, [&](const EnumerationProgress& progress) {
    CHECK(progress.total == problem.order_count());
    CHECK(progress.evaluated > 0);
    CHECK(progress.best.value() > 0);
    return ++calls < 2;
  });
  CHECK(calls == 2);
  CHECK_FALSE(found.complete);
  CHECK(found.evaluated < found.total);
  CHECK(play_order(problem, found.best_order) == doctest::Approx(found.best.value()).epsilon(1e-9));
}

TEST_CASE("enumerate: what cannot be enumerated is refused") {
  const Topology topology = t2_machine();
  CongestionModel model(topology, CongestionModelName::pcie_sc16);
  OrderProblem large(model, all_to_all(8, Bytes(kMessage)), identity_mapping(8));
  CHECK_THROWS_WITH_AS(enumerate_orders(large), doctest::Contains("orders are too many to try them all"), Error);
  std::vector<Communication> many;
  for (int i = 1; i <= 200; ++i) many.push_back(message(0, 1 + i % 7, i));
  OrderProblem largest(model, Exchange(many), identity_mapping(8));
  CHECK_THROWS_WITH_AS(enumerate_orders(largest), "more than 10^308 orders are too many to try them all", Error);
  CHECK_THROWS_WITH_AS(OrderProblem(model, Exchange({message(0, 1, 1), message(0, 2, 1, 0.5)}), identity_mapping(8)),
                       doctest::Contains("communication 1 starts at 500 ms"), Error);
  OrderProblem nothing(model, Exchange({}), identity_mapping(8));
  CHECK(enumerate_orders(nothing).best.value() == 0);
}
