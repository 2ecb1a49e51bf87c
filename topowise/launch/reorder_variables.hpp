// SPDX-License-Identifier: BSD-3-Clause
// How `topowise run --reorder` instructs the preloaded library of every rank. Also compiled into that library:
// uses the standard library only.
#pragma once

namespace topowise {

inline constexpr const char* kReorderVariable = "TOPOWISE_REORDER";  ///< asked, always, report or world
/// The TOPOLOGY of the job; not set: equal hosts.
inline constexpr const char* kReorderTopologyVariable = "TOPOWISE_REORDER_TOPOLOGY";
/// In the first process of a job without a TOPOLOGY: the file that describes the network of the site; "off": none.
inline constexpr const char* kReorderNetworkVariable = "TOPOWISE_REORDER_NETWORK";
/// A metric as in 'map --metric'; not set: distance.
inline constexpr const char* kReorderMetricVariable = "TOPOWISE_REORDER_METRIC";
/// The TRAFFIC between the ranks of the job as the launcher numbers them; not set: edges have the weights that the
/// program states.
inline constexpr const char* kReorderProfileVariable = "TOPOWISE_REORDER_PROFILE";
/// The work of each rank, counted in the same way, as in 'map --loads'; not set: not known.
inline constexpr const char* kReorderLoadsVariable = "TOPOWISE_REORDER_LOADS";
/// The time limit of each mapping in seconds; not set: it follows the size of the job.
inline constexpr const char* kReorderSecondsVariable = "TOPOWISE_REORDER_SECONDS";
// Lists of call sites.
inline constexpr const char* kReorderOnlyVariable = "TOPOWISE_REORDER_ONLY";
inline constexpr const char* kReorderExceptVariable = "TOPOWISE_REORDER_EXCEPT";
inline constexpr const char* kReorderIncludeVariable = "TOPOWISE_REORDER_INCLUDE";

}  // namespace topowise
