// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm, in one table.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <topowise/collective/plan/plan.hpp>

namespace topowise::collective {

struct CollectiveAlgorithm {
  std::string_view name;
  std::string_view summary;
  bool kernels;       ///< whether the GPU reduces
  bool all;           ///< does every collective, within a node; else only allreduce
  bool across_nodes;  ///< does allreduce across nodes
  Plan (*plan)(Collective collective, const Layout& layout, int root);

  /// Whether it has a plan for this.
  [[nodiscard]] bool does(Collective collective, const Layout& layout) const {
    if (layout.nodes > 1) return across_nodes && collective == Collective::allreduce;
    return all || collective == Collective::allreduce;
  }
  /// Of an allreduce.
  [[nodiscard]] Plan plan_for(const Layout& layout) const { return plan(Collective::allreduce, layout, 0); }
};

/// Their positions are what ranks tell each other: a new one goes to the end.
[[nodiscard]] std::span<const CollectiveAlgorithm> algorithms();
/// Its position. Throws Error(usage) for a name that is none.
[[nodiscard]] std::size_t find_algorithm(std::string_view name);
/// Nothing for a name that is none.
[[nodiscard]] std::optional<std::size_t> known_algorithm(std::string_view name);

}  // namespace topowise::collective
