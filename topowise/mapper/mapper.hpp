// SPDX-License-Identifier: BSD-3-Clause
// The mappers by name, and the one function that maps.
#pragma once

#include <string_view>

#include <topowise/mapper/problem/mapper_row.hpp>

namespace topowise {

[[nodiscard]] MapperRows mappers();

/// Runs the named mapper, checks its answer (every rank on an allowed place, capacities, cost recomputed) and compares
/// it with the identity. "auto" is never worse than the identity. Throws Error: unknown name (usage), more ranks than
/// places (bad input).
[[nodiscard]] MappingResult map_ranks(const MapProblem& problem, std::string_view mapper = "auto",
                                      const MapOptions& options = {});

}  // namespace topowise
