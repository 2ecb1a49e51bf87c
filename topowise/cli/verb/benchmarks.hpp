// SPDX-License-Identifier: BSD-3-Clause
// What `bench` measures: one file a benchmark, and their table in bench.cpp.
#pragma once

#include <string_view>

#include <topowise/cli/arguments.hpp>
#include <topowise/cli/terminal.hpp>

namespace topowise::cli {

struct Benchmark {
  std::string_view name;
  std::string_view summary;
  ExitStatus (*run)(const Arguments&, Terminal&);
};

[[nodiscard]] Benchmark allreduce_benchmark();
/// "auto" is none: a benchmark measures what it is told.
[[nodiscard]] std::vector<std::string> measured_algorithms();

}  // namespace topowise::cli
