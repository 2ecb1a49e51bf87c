// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <topowise/graph/traffic/rank_range.hpp>

namespace topowise {

/// The lines of one piece of the vertices, out of a file that is read line by line: only these are held. Whether every
/// edge is listed at both its ends is not seen here. Throws Error(bad_input) as read_metis() does.
[[nodiscard]] TrafficRows read_metis_rows(const std::string& path, std::size_t piece, std::size_t pieces);

}  // namespace topowise
