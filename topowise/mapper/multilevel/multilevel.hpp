// SPDX-License-Identifier: BSD-3-Clause
// The mapper for large problems: up to millions of ranks, any machine, several ranks a place.
#pragma once

#include <topowise/mapper/problem/mapper_row.hpp>

namespace topowise {

/// Hierarchical multisection, evolution and local search; see multilevel/. Deterministic for a seed, whatever the
/// number of threads, unless the time limit ends it. Never worse than the ranks in order or map_multilevel_fast(),
/// whose search comes first. Throws Error(bad_input) if the ranks do not fit.
[[nodiscard]] MapperAnswer map_multilevel(const MapProblem& problem, const Budget& budget);

/// The same with one or two partitions of each division instead of a population: a tenth of the time.
[[nodiscard]] MapperAnswer map_multilevel_fast(const MapProblem& problem, const Budget& budget);

/// map_multilevel() for those who have the answer of map_multilevel_fast() already. On a machine that is a hierarchy
/// `again` searches from other seeds. The searches of a shorter limit are the first of a longer one, so more time never
/// makes the answer worse.
[[nodiscard]] LateAnswer map_multilevel_late(const MapProblem& problem, const Budget& budget);

}  // namespace topowise
