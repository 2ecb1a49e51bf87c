// SPDX-License-Identifier: BSD-3-Clause
// Rashti, Green, Balaji, Afsahi, Gropp, "Multi-core and Network Aware MPI Topology Functions" (EuroMPI 2011): exchanges
// and collectives along one dimension of Cartesian arrangements of 32 ranks.
#include <topowise/base/error.hpp>
#include <topowise/cli/verb/benchmarks.hpp>
#include <topowise/cli/verb/exchange_bench.hpp>
#include <topowise/topology_source/source.hpp>

namespace topowise::cli {
namespace {

using benchmark::Workload;

constexpr std::size_t kRanks = 32;
constexpr std::size_t kMoreRanks = 128;  ///< of the second cluster
/// The paper says "significantly heavier"; its graphs' weights go from 1 to 10.
constexpr std::string_view kWeights = "10";

void check_ranks(std::size_t ranks) {
  if (ranks != kRanks && ranks != kMoreRanks)
    throw usage_error(
        fmt::format("this benchmark is for {} or {} ranks, as in the paper, not {}", kRanks, kMoreRanks, ranks),
        "mpirun -n 32 topowise bench ...");
}

/// The paper's clusters have 32 and 128 cores.
Topology machine_for(std::size_t ranks) {
  return read_topology(ranks > kRanks ? "preset:eurompi2011-b" : "preset:eurompi2011-a");
}

std::vector<Workload> exchanges(std::size_t ranks) {
  check_ranks(ranks);
  if (ranks == kMoreRanks)
    return {benchmark::cartesian("torus2d:16x8"), benchmark::cartesian("torus3d:8x4x4"),
            benchmark::cartesian("hypercube:7")};
  return {benchmark::cartesian("torus2d:8x4"), benchmark::cartesian("torus3d:4x4x2"),
          benchmark::cartesian("hypercube:5")};
}

std::vector<Workload> collectives(std::size_t ranks) {
  check_ranks(ranks);
  if (ranks == kMoreRanks)
    return {benchmark::all_to_all_along_first({16, 8}), benchmark::all_to_all_along_first({32, 4})};
  return {benchmark::all_to_all_along_first({8, 4}), benchmark::all_to_all_along_first({16, 2})};
}

ExitStatus run_exchanges(const Arguments& arguments, Terminal& terminal) {
  return run_exchange_bench({.name = "cartesian",
                             .title = "Cartesian-model exchange",
                             .workloads = exchanges,
                             .selections = benchmark::graph_selections,
                             .weights = kWeights,
                             .machine = machine_for,
                             .rank_counts = {kRanks}},
                            arguments, terminal);
}

ExitStatus run_collectives(const Arguments& arguments, Terminal& terminal) {
  return run_exchange_bench({.name = "dimensional",
                             .title = "all-to-all along the longer dimension",
                             .workloads = collectives,
                             .selections = benchmark::graph_selections,
                             .weights = "1",
                             .machine = machine_for,
                             .rank_counts = {kRanks}},
                            arguments, terminal);
}

}  // namespace

Benchmark cartesian_benchmark() {
  return {.name = "cartesian",
          .summary = "exchange on 8x4 and 4x4x2 tori and a 5D hypercube, or 128 ranks: block, cyclic, three graphs",
          .figures = "EuroMPI 2011, figure 2",
          .options = exchange_bench_options(),
          .run = run_exchanges};
}

Benchmark dimensional_benchmark() {
  return {.name = "dimensional",
          .summary = "all-to-all along the longer dimension of 8x4 and 16x2: block, cyclic and three graphs",
          .figures = "EuroMPI 2011, figure 3",
          .options = exchange_bench_options(),
          .run = run_collectives};
}

}  // namespace topowise::cli
