// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// A mapping that looks only at loads and fixed ranks. Some places are overloaded by a little if no mapping is found in
/// which all places bear their ranks.
[[nodiscard]] Mapping pack(const MapProblem& problem);

}  // namespace topowise
