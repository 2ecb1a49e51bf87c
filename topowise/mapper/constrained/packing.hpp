// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// A mapping that looks at loads and fixed ranks only. If none is found whose places bear their ranks, some are
/// overloaded, by little.
[[nodiscard]] Mapping pack(const MapProblem& problem);

}  // namespace topowise
