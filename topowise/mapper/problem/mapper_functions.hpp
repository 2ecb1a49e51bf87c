// SPDX-License-Identifier: BSD-3-Clause
// The functions of the table of mappers, for it and for tests. Each is explained where it is defined.
#pragma once

#include <optional>

#include <topowise/mapper/problem/mapper_row.hpp>

namespace topowise {

/// Ranks in turn onto the machine's outermost groups: as launchers do with --map-by node.
[[nodiscard]] MapperAnswer map_cyclic(const MapProblem& problem, const Budget&);

/// Ranks in order onto the allowed places in order, each filled up to its capacity.
[[nodiscard]] MapperAnswer map_identity(const MapProblem& problem, const Budget&);

/// A mapping drawn from the seed: what a mapper must beat.
[[nodiscard]] MapperAnswer map_random(const MapProblem& problem, const Budget&);

/// The rank that talks most to those placed goes where that costs least.
[[nodiscard]] MapperAnswer map_greedy(const MapProblem& problem, const Budget& budget);

/// Nothing if the traffic is no stencil on a grid of its ranks in row-major order.
[[nodiscard]] std::optional<MapperAnswer> map_grid_if_there(const MapProblem& problem, const Deadline& deadline);

/// The answer of map_grid_if_there(); the ranks in order where there is no grid, or where they are no worse.
[[nodiscard]] MapperAnswer map_grid(const MapProblem& problem, const Budget& budget);

/// SCOTCH_graphMap of the traffic onto the complete graph of the places. Throws Error(not_available) without libscotch.
[[nodiscard]] MapperAnswer map_scotch(const MapProblem& problem, const Budget&);

/// Robust tabu search from the identity.
[[nodiscard]] MapperAnswer map_tabu(const MapProblem& problem, const Budget& budget);

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

/// An optimal mapping with its proof, or at the time limit the best found and how far from optimal it may be.
[[nodiscard]] MapperAnswer map_exact(const MapProblem& problem, const Budget& budget);

/// Whether that proves such problems, or at least finds the best bound there is.
[[nodiscard]] bool suits_exact(const MapProblem& problem);

}  // namespace topowise
