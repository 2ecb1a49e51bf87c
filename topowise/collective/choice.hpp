// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm is the best for a call: pure functions of what rank 0 knows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <topowise/collective/plan/algorithms.hpp>

namespace topowise::collective {

/// What was measured on this machine: the fastest algorithm of each size.
struct Tuning {
  struct Size {
    std::uint64_t bytes;
    std::size_t algorithm;
  };
  struct Row {
    int ranks = 0, gpus = 0;
    std::vector<Size> sizes;  ///< ascending
  };
  std::vector<Row> rows;
};

/// The fastest algorithm at the measured size whose logarithm is nearest; nothing if this number of ranks on this
/// number of GPUs was not measured.
[[nodiscard]] std::optional<std::size_t> tuned_algorithm(const Tuning& tuning, const Layout& layout,
                                                         std::uint64_t bytes);

/// Algorithms that do this collective, the best first: the tuned one, then those of rules that have never been measured
/// here. The last one needs least.
[[nodiscard]] std::vector<std::size_t> preferred_algorithms(Collective collective, const Layout& layout,
                                                            std::uint64_t bytes, const std::optional<Tuning>& tuning);

}  // namespace topowise::collective
