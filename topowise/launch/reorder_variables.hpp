// SPDX-License-Identifier: BSD-3-Clause
// How `topowise run --reorder` tells the preloaded library of every rank what to do. Also compiled into that library:
// the standard library only.
#pragma once

namespace topowise {

inline constexpr const char* kReorderVariable = "TOPOWISE_REORDER";  ///< asked, always, report or world
/// TOPOLOGY; not set: equal hosts.
inline constexpr const char* kReorderTopologyVariable = "TOPOWISE_REORDER_TOPOLOGY";
/// As for 'map --metric'; not set: distance.
inline constexpr const char* kReorderMetricVariable = "TOPOWISE_REORDER_METRIC";
/// TRAFFIC between the ranks of the job as the launcher numbers them; not set: edges weigh what the program says.
inline constexpr const char* kReorderProfileVariable = "TOPOWISE_REORDER_PROFILE";
/// For each mapping; not set: as many as fit the size of the job.
inline constexpr const char* kReorderSecondsVariable = "TOPOWISE_REORDER_SECONDS";
// Lists of call sites.
inline constexpr const char* kReorderOnlyVariable = "TOPOWISE_REORDER_ONLY";
inline constexpr const char* kReorderExceptVariable = "TOPOWISE_REORDER_EXCEPT";

}  // namespace topowise
