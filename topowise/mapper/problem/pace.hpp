// SPDX-License-Identifier: BSD-3-Clause
// How much a search does in a second, in units that it can count: what turns a budget's time into a number of steps, so
// that the count ends the search and not the clock.
//
// Each is at most what one core of 3 GHz does (2024; AVX2), measured as the steps counted for a time limit by the
// processor time that they took (`time topowise map ... --mapper NAME --time-limit 4s`, one thread). A slower machine
// meets the deadline first and answers with what it has by then. A changed number changes answers: the cost of a
// mapping found in a given time is compared before and after.
#pragma once

namespace topowise::pace {

// exact/
inline constexpr double kSplits = 2e8;             ///< of a set of ranks among two subtrees, by subset_mapping
inline constexpr double kRelaxationEntries = 2e8;  ///< of a node of branch_and_bound: (ranks x slots)^2 each
inline constexpr double kPrices = 2e8;             ///< of a rank on a place, with a look at each other, by load_search
inline constexpr double kCongestionNodes = 1e4;    ///< of congestion_search, for a node of a machine of 16 places
inline constexpr double kTabuPairs = 4e6;          ///< of the start of branch_and_bound: a small share of its time

// constrained/
inline constexpr double kLoadTrials = 2e6;        ///< of load_annealing by hop-bytes, for a rank without partners
inline constexpr double kPartnersOfTrial = 8;     ///< take as long as all else of a trial
inline constexpr double kCongestionTrials = 2e4;  ///< of load_annealing by max congestion

// bound/
inline constexpr double kFlowVisits = 2e5;        ///< of ranks, in a tenth of the time: flows of level_bound
inline constexpr double kProjectionSteps = 5e8;   ///< slots^3 of projection_bound, in a small share of the time

}  // namespace topowise::pace
