// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/base/input.hpp>
#include <topowise/graph/traffic/rank_range.hpp>

namespace topowise {

/// Reads the lines of one piece of the vertices. The input is read line by line, and only these lines are kept, so it
/// is not checked that every edge is listed at both its ends. Throws Error(bad_input) as read_metis() does.
[[nodiscard]] TrafficRows read_metis_rows(Input input, std::size_t piece, std::size_t pieces);

}  // namespace topowise
