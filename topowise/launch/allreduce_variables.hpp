// SPDX-License-Identifier: BSD-3-Clause
// How `topowise run --allreduce` and `--collectives-on-gpu` instruct the preloaded library of every rank. Also
// compiled into that library: uses the standard library only.
#pragma once

namespace topowise {

inline constexpr const char* kAllreduceVariable = "TOPOWISE_ALLREDUCE";  ///< auto, or the name of an algorithm
inline constexpr const char* kCollectivesVariable =
    "TOPOWISE_COLLECTIVES_ON_GPU";  ///< "allreduce,bcast": which functions; only allreduce without it
inline constexpr const char* kAllreduceInitVariable =
    "TOPOWISE_ALLREDUCE_INIT";  ///< start: the ranks meet in MPI_Init; else at their first call
inline constexpr const char* kAllreduceReportVariable =
    "TOPOWISE_ALLREDUCE_REPORT";  ///< 1: say at the end what was done

}  // namespace topowise
