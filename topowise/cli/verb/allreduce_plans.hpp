// SPDX-License-Identifier: BSD-3-Clause
// What `bench allreduce --explain` prints and saves: plans, and the bytes that they move. Nothing is measured.
#pragma once

#include <cstddef>
#include <span>

#include <topowise/cli/verb/bench_options.hpp>

namespace topowise::cli {

struct AllreducePlans {
  ResultForms forms;
  bool right = true;  ///< the result was right in all simulated orders of events; if not, this program has a bug
};

/// The plans of the algorithms with these numbers. The curves and rows of bytes go from 2 ranks to `ranks`, on `gpus`
/// GPUs.
[[nodiscard]] AllreducePlans allreduce_plans(std::span<const std::size_t> algorithms, int ranks, int gpus);

}  // namespace topowise::cli
