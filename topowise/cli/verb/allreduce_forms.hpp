// SPDX-License-Identifier: BSD-3-Clause
// What `bench allreduce` prints and saves.
#pragma once

#include <string_view>

#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/bench_options.hpp>
#include <topowise/collective/measure.hpp>

namespace topowise::cli {

inline constexpr std::string_view kBaseline = "staged-host";  ///< as MPI libraries reduce

struct AllreduceTimes {
  const collective::MeasureOptions& options;
  const collective::Measurement& measured;
  bool amortise = false;  ///< figure 3 of the paper too
  bool tune = false;      ///< which algorithm is the fastest
};
[[nodiscard]] ResultForms allreduce_forms(const AllreduceTimes& times, const Terminal& terminal);

}  // namespace topowise::cli
