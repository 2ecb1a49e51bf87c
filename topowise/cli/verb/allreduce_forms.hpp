// SPDX-License-Identifier: BSD-3-Clause
// What `bench allreduce` prints and saves.
#pragma once

#include <string_view>

#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/bench_options.hpp>
#include <topowise/collective/measure.hpp>

namespace topowise::cli {

inline constexpr std::string_view kBaseline = "staged-host";  ///< the way in which MPI libraries reduce

struct AllreduceTimes {
  const collective::MeasureOptions& options;
  const collective::Measurement& measured;
  bool amortise = false;  ///< also print figure 3 of the paper
  bool tune = false;      ///< also say which algorithm is the fastest
};
[[nodiscard]] ResultForms allreduce_forms(const AllreduceTimes& times, const Terminal& terminal);

}  // namespace topowise::cli
