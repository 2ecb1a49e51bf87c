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

  /// Whether the algorithm has a plan for this collective.
  [[nodiscard]] bool does(Collective collective, const Layout& layout) const {
    if (layout.nodes > 1) return across_nodes && collective == Collective::allreduce;
    return all || collective == Collective::allreduce;
  }
  /// The plan of an allreduce.
  [[nodiscard]] Plan plan_for(const Layout& layout) const { return plan(Collective::allreduce, layout, 0); }
};

/// All algorithms. Ranks tell each other their positions here, so a new one goes to the end.
[[nodiscard]] std::span<const CollectiveAlgorithm> algorithms();
/// The position of an algorithm. Throws Error(usage) for a name that is none.
[[nodiscard]] std::size_t find_algorithm(std::string_view name);
/// The same, but nothing for a name that is none.
[[nodiscard]] std::optional<std::size_t> known_algorithm(std::string_view name);

// The functions of the table, for it and for tests. Each is explained where it is defined.

[[nodiscard]] Plan staged_host(Collective collective, const Layout& layout, int root);
[[nodiscard]] Plan shared_buffer(const Layout& layout);
[[nodiscard]] Plan binomial(const Layout& layout);
[[nodiscard]] Plan leader_fused(Collective collective, const Layout& layout, int root);
[[nodiscard]] Plan one_shot(const Layout& layout);
[[nodiscard]] Plan two_shot(const Layout& layout);
[[nodiscard]] Plan ring(const Layout& layout);

}  // namespace topowise::collective
