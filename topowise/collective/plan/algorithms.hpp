// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm, in one table.
#pragma once

#include <span>
#include <string_view>

#include <topowise/collective/plan/plan.hpp>

namespace topowise::collective {

struct AllreduceAlgorithm {
  std::string_view name;
  std::string_view summary;
  Plan (*plan)(int ranks);
  bool kernels;  ///< whether the GPU reduces
};

/// Their positions are what ranks tell each other: a new one goes to the end.
[[nodiscard]] std::span<const AllreduceAlgorithm> algorithms();
/// Its position. Throws Error(usage) for a name that is none.
[[nodiscard]] std::size_t find_algorithm(std::string_view name);

}  // namespace topowise::collective
