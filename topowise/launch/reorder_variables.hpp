// SPDX-License-Identifier: BSD-3-Clause
// How `topowise run --reorder` tells the preloaded library of every rank what to do. Also compiled into that library:
// the standard library only.
#pragma once

namespace topowise {

inline constexpr const char* kReorderVariable = "TOPOWISE_REORDER";  ///< asked, always or report
inline constexpr const char* kReorderTopologyVariable =
    "TOPOWISE_REORDER_TOPOLOGY";                                                    ///< TOPOLOGY; not set: equal hosts
inline constexpr const char* kReorderSecondsVariable = "TOPOWISE_REORDER_SECONDS";  ///< for each mapping

}  // namespace topowise
