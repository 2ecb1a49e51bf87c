// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/reading/format.hpp>

namespace topowise {

/// What `lstopo` (hwloc 2) prints as text: `lstopo --of console`, `lstopo-no-graphics`.
extern const TopologyFormat kLstopoTextFormat;

}  // namespace topowise
