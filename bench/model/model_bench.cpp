// SPDX-License-Identifier: BSD-3-Clause
// Speed of the congestion model. `model_bench --benchmark_filter=Halo3d` runs a part.
#include <benchmark/benchmark.h>

#include <vector>

#include <tests/paper_machines.hpp>
#include <topowise/base/random.hpp>
#include <topowise/predict/congestion/simulate.hpp>
#include <topowise/schedule/branch_and_bound.hpp>
#include <topowise/schedule/enumerate.hpp>
#include <topowise/schedule/orders.hpp>
#include <topowise/schedule/playback.hpp>

using namespace topowise;

namespace {

constexpr Bytes kMessage(300.0 * 1024 * 1024);

Mapping identity(std::size_t ranks) {
  return testing::identity_mapping(ranks);
}

const Topology& t2() {
  static const Topology topology = testing::t2_machine();
  return topology;
}

std::vector<std::vector<CongestionModel::Flow>> halo_sets(CongestionModel& model, std::size_t count) {
  Random random(1);
  std::vector<std::vector<CongestionModel::Flow>> sets(count);
  for (auto& set : sets) {
    for (std::size_t g = 0; g < 8; ++g)
      set.push_back(model.flow(Place(g), Place(g ^ (std::size_t{1} << random.below(3)))));
  }
  return sets;
}

/// Factors of eight messages of a 3D halo, without a memory of earlier sets.
void factors_of_eight(benchmark::State& state) {
  CongestionModel model(t2(), CongestionModelName::pcie_sc16);
  const auto sets = halo_sets(model, 1024);
  std::vector<double> rates(8);
  std::size_t next = 0;
  for (auto _ : state) {
    model.rates(sets[next++ % sets.size()], rates);
    benchmark::DoNotOptimize(rates.data());
  }
}
BENCHMARK(factors_of_eight);

/// One order of the 3D halo, played alone. All sets of messages were seen before.
void one_3d_order(benchmark::State& state) {
  CongestionModel model(t2(), CongestionModelName::pcie_sc16);
  OrderProblem problem(model, halo(std::vector{2, 2, 2}, kMessage), identity(8));
  Random random(2);
  std::vector<Order> orders(512, problem.given());
  for (Order& order : orders) {
    for (auto& queue : order) random.shuffle(std::span(queue));
    benchmark::DoNotOptimize(play_order(problem, order));
  }
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(play_order(problem, orders[next++ % orders.size()]));
}
BENCHMARK(one_3d_order);

/// A time step whose set is in the table: look the set up, find the next end, compute what is left. The sets are
/// random.
void one_memoised_step(benchmark::State& state) {
  CongestionModel model(t2(), CongestionModelName::pcie_sc16);
  OrderProblem problem(model, halo(std::vector{2, 2, 2}, kMessage), identity(8));
  Random random(3);
  std::vector<OrderProblem::ActiveItems> sets(1024, problem.nothing_active());
  for (OrderProblem::ActiveItems& set : sets) {
    for (std::size_t q = 0; q < 8; ++q) problem.set_active(set, q, static_cast<ItemNumber>(random.below(3)));
    benchmark::DoNotOptimize(problem.row(set));
  }
  double left[8] = {1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3};
  double after[8];
  std::size_t next = 0;
  for (auto _ : state) {
    const std::uint16_t* row = problem.row(sets[next++ % sets.size()].key);
    benchmark::DoNotOptimize(step_to_next_end(row, problem.speeds(), left, after, 8));
    benchmark::DoNotOptimize(after);
  }
}
BENCHMARK(one_memoised_step);

void all_orders(benchmark::State& state, std::vector<int> extents) {
  double orders = 0;
  double steps = 0;
  for (auto _ : state) {
    CongestionModel model(t2(), CongestionModelName::pcie_sc16);
    OrderProblem problem(model, halo(extents, kMessage), identity(8));
    Enumeration found = enumerate_orders(problem);
    benchmark::DoNotOptimize(found.times.quantile(0.5));
    orders = found.evaluated;
    steps = static_cast<double>(found.steps);
    state.counters["sets"] = static_cast<double>(found.sets);
  }
  state.counters["orders"] = orders;
  state.counters["steps"] = steps;
}
BENCHMARK_CAPTURE(all_orders, halo2d, std::vector<int>{2, 4})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_orders, halo3d, std::vector<int>{2, 2, 2})->Unit(benchmark::kMillisecond);

/// The best 3D order with its proof, without earlier results.
void best_3d_order(benchmark::State& state) {
  for (auto _ : state) {
    CongestionModel model(t2(), CongestionModelName::pcie_sc16);
    OrderProblem problem(model, halo(std::vector{2, 2, 2}, kMessage), identity(8));
    const FoundOrder found = branch_and_bound(problem, problem.given());
    state.counters["proven"] = found.proven_optimal();
    state.counters["steps"] = static_cast<double>(found.steps);
  }
}
BENCHMARK(best_3d_order)->Unit(benchmark::kMillisecond);

/// As many random graphs as the paper's validation set for T2 has: 22,635 graphs with 95,906 messages.
void validation_set(benchmark::State& state) {
  Random random(4);
  std::vector<Exchange> graphs;
  std::size_t messages = 0;
  for (std::size_t i = 0; i < 22635; ++i) {
    const std::size_t count = (95906 - messages) / (22635 - i);
    std::vector<Communication> list;
    while (list.size() < count) {
      const std::uint32_t from = random.below(8);
      const std::uint32_t to = random.below(8);
      if (from != to) list.push_back({Rank(from), Rank(to), kMessage, Seconds()});
    }
    messages += list.size();
    graphs.emplace_back(std::move(list));
  }
  for (auto _ : state) {
    CongestionModel model(t2(), CongestionModelName::pcie_sc16);
    RateMemo memo(model);
    const Mapping mapping = identity(8);
    for (const Exchange& graph : graphs) benchmark::DoNotOptimize(simulate(memo, graph, mapping).makespan);
  }
  state.counters["messages"] = static_cast<double>(messages);
}
BENCHMARK(validation_set)->Unit(benchmark::kMillisecond);

/// 1000 devices below one root complex: 5 switches with 10 switches each, and 20 GPUs below each of those.
Topology thousand() {
  TopologyBuilder builder("thousand");
  const auto below = [&builder](VertexId parent, VertexKind kind) {
    const VertexId id = builder.add_vertex({.kind = kind, .name = "v", .parent = parent});
    builder.add_links({.from = id, .to = parent, .kind = LinkKind::pcie, .bandwidth = gigabytes_per_second(12)});
    return id;
  };
  const VertexId root = builder.add_vertex({.kind = VertexKind::root_complex, .name = "RC"});
  for (int a = 0; a < 5; ++a) {
    const VertexId upper = below(root, VertexKind::pcie_switch);
    for (int b = 0; b < 10; ++b) {
      const VertexId lower = below(upper, VertexKind::pcie_switch);
      for (int c = 0; c < 20; ++c) builder.add_place(PlaceKind::gpu, below(lower, VertexKind::gpu));
    }
  }
  return std::move(builder).build();
}

/// 1000 devices send `messages` messages, each to a device at a distance of at most `reach`. If `random`, distances are
/// random and there are four sizes.
void thousand_devices(benchmark::State& state) {
  static const Topology topology = thousand();
  const auto count = static_cast<std::size_t>(state.range(0));
  const auto reach = static_cast<std::uint32_t>(state.range(1));
  const bool random_sizes = state.range(2) != 0;
  Random random(6);
  std::vector<Communication> list;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = i % 1000;
    const std::size_t to = (from + (random_sizes ? 1 + random.below(reach) : 1 + i / 1000 % reach)) % 1000;
    const double bytes = random_sizes ? 1e6 * (1 + random.below(4)) : 1e6;
    list.push_back({Rank(from), Rank(to), Bytes(bytes), Seconds()});
  }
  const Exchange exchange(std::move(list));
  const Mapping mapping = identity(1000);
  CongestionModel model(topology, CongestionModelName::pcie_sc16);
  RateMemo memo(model);
  benchmark::DoNotOptimize(simulate(memo, exchange, mapping).makespan);
  for (auto _ : state) benchmark::DoNotOptimize(simulate(memo, exchange, mapping).makespan);
  state.SetItemsProcessed(static_cast<std::int64_t>(count) * state.iterations());
}
BENCHMARK(thousand_devices)
    ->ArgNames({"messages", "reach", "random"})
    ->Args({1000, 4, 0})
    ->Args({10000, 4, 0})
    ->Args({100000, 4, 0})
    ->Args({10000, 4, 1})
    ->Args({100000, 4, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
