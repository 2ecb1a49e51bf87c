// SPDX-License-Identifier: BSD-3-Clause
// The benchmarks of `bench`: one file for each, declared here, and their table in bench.cpp.
#pragma once

#include <string_view>
#include <vector>

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

struct Benchmark {
  std::string_view name;
  std::string_view summary;  ///< one line, lower case
  std::string_view figures;  ///< what it repeats: "AsHES 2016, figures 3 and 4"; may be empty
  std::vector<Operand> operands = {};
  std::vector<Option> options;  ///< those of several rows come from bench_options.hpp
  std::string_view alone = {};  ///< why a job cannot run it; empty: the ranks of a job measure
  ExitStatus (*run)(const Arguments&, Terminal&);
};

[[nodiscard]] Benchmark stencil2d_benchmark();
[[nodiscard]] Benchmark torus2d_benchmark();
[[nodiscard]] Benchmark torus3d_benchmark();
[[nodiscard]] Benchmark hypercube_benchmark();
[[nodiscard]] Benchmark overhead_benchmark();
[[nodiscard]] Benchmark allreduce_benchmark();
[[nodiscard]] Benchmark collective_benchmark();
[[nodiscard]] Benchmark cartesian_benchmark();
[[nodiscard]] Benchmark dimensional_benchmark();
[[nodiscard]] Benchmark congestion_benchmark();
[[nodiscard]] Benchmark halo_orders_benchmark();
[[nodiscard]] Benchmark halo_sequence_benchmark();

}  // namespace topowise::cli
