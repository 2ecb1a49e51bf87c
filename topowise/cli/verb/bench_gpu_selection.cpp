// SPDX-License-Identifier: BSD-3-Clause
// Faraji, Mirsadeghi, Afsahi, "Topology-Aware GPU Selection on Multi-GPU Nodes" (AsHES 2016): four microbenchmarks, and
// the cost of choosing the GPUs.
#include <array>

#include <topowise/cli/verb/benchmarks.hpp>
#include <topowise/cli/verb/exchange_bench.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>

namespace topowise::cli {
namespace {

using benchmark::Workload;

constexpr std::array<const char*, 4> kNames{"stencil2d", "torus2d", "torus3d", "hypercube"};

Topology helios(std::size_t /*ranks*/) {
  return read_preset("helios-k80");
}

template <std::size_t number>
std::vector<Workload> one(std::size_t ranks) {
  return {benchmark::microbenchmark(kNames[number], ranks)};
}

std::vector<Workload> all_four(std::size_t ranks) {
  std::vector<Workload> workloads;
  for (const char* name : kNames) workloads.push_back(benchmark::microbenchmark(name, ranks));
  return workloads;
}

template <std::size_t number>
ExitStatus run_one(const Arguments& arguments, Terminal& terminal) {
  constexpr std::array<std::string_view, 4> kTitles{"2D stencil", "2D torus", "3D torus", "hypercube"};
  return run_exchange_bench({.name = kNames[number],
                             .title = kTitles[number],
                             .workloads = one<number>,
                             .selections = benchmark::gpu_selections,
                             .weights = "1,3",
                             .machine = helios,
                             .rank_counts = {16}},
                            arguments, terminal);
}

ExitStatus run_overhead(const Arguments& arguments, Terminal& terminal) {
  return run_exchange_bench({.name = "overhead",
                             .title = "iterations that pay for the mapping",
                             .workloads = all_four,
                             .selections = benchmark::start_selections,
                             .weights = "3",
                             .machine = helios,
                             .rank_counts = {8, 16},
                             .drawn = benchmark::Drawn::iterations,
                             .counted = benchmark::Counted::start},
                            arguments, terminal);
}

template <std::size_t number>
Benchmark row(std::string_view summary) {
  return {.name = kNames[number],
          .summary = summary,
          .figures = "AsHES 2016, figures 3 and 4",
          .options = exchange_bench_options(),
          .run = run_one<number>};
}

}  // namespace

Benchmark stencil2d_benchmark() {
  return row<0>("halo exchange of a 2D grid: default against mapped by three metrics and by Scotch");
}

Benchmark torus2d_benchmark() {
  return row<1>("the same of a 2D torus");
}

Benchmark torus3d_benchmark() {
  return row<2>("the same of a 3D torus");
}

Benchmark hypercube_benchmark() {
  return row<3>("the same of a hypercube");
}

Benchmark overhead_benchmark() {
  return {.name = "overhead",
          .summary = "seconds of a start that reads and maps, and iterations of the four that pay for it",
          .figures = "AsHES 2016, figure 5",
          .options = exchange_bench_options(),
          .run = run_overhead};
}

}  // namespace topowise::cli
