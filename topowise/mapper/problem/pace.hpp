// SPDX-License-Identifier: BSD-3-Clause
// How much a search does in a second, in units that it can count: what turns a budget's time into a number of steps, so
// that the count ends the search and not the clock. Rates of single kernels are beside them.
//
// Each is at most what one core does. Where a share is given, steps took this share of the time that they were counted
// for, as processor time on a server core of 2024 (a budget of 1000 s with an effort of 0.001 and one thread, so that
// no deadline was near; random traffic). A slower machine meets the deadline first and answers with what it has by
// then. A changed rate changes answers: compare the costs of mappings before and after.
#pragma once

namespace topowise::pace {

// Proofs.
inline constexpr double kSplits = 2e8;              ///< of a set of ranks among two subtrees, subset_mapping: 0.4
inline constexpr double kPricedSets = 7e8;          ///< of ranks, one round of prices of group_mapping: 1
inline constexpr double kHalves = 5e6;              ///< branches of the search for halves, group_mapping: 1
inline constexpr double kCuts = 1e8;                ///< sets that are tried for a cut, group_mapping: 1
inline constexpr double kRelaxationEntries = 2e8;   ///< (ranks x slots)^2 for each branch of branch_and_bound: 0.7
inline constexpr double kPrices = 2e8;              ///< of a rank on a place, with a look at others, load_search: 0.1
inline constexpr double kCongestionBranches = 1e4;  ///< of congestion_search: 0.05 on 16 places

// Searches that keep constraints.
inline constexpr double kLoadTrials = 2e6;        ///< of load_annealing by hop-bytes, of a rank without partners: 0.6
inline constexpr double kPartnersOfTrial = 8;     ///< so many partners take as long as all else of a trial
inline constexpr double kCongestionTrials = 2e4;  ///< of load_annealing by max congestion: 0.1

// Search for predicted time.
inline constexpr double kLookedUpRates = 1e7;  ///< of messages that are sent together: 0.9

// Searches by exchanges.
inline constexpr double kExchangePairs = 3.2e9;        ///< of the table of all exchanges, brought up to date after one
inline constexpr double kDoubleExchangePairs = 1.6e9;  ///< where float is not exact
inline constexpr double kPairsOfStep = 1.3e3;          ///< so many pairs take as long as all else of an exchange
inline constexpr double kSampledGains = 5e4;           ///< of exchanges that sampled_tabu looks at
inline constexpr double kNetworkTrials = 6e5;          ///< of exchanges that anneal_on_network makes

// Multisection.
inline constexpr double kSearchedArcs = 5e6;  ///< of a graph, once for each partition of it

// Bounds, of the time that they have.
inline constexpr double kFlowVisits = 2.5e6;     ///< of ranks, by the flows of level_bound
inline constexpr double kProjectionSteps = 5e8;  ///< slots^3 of projection_bound

}  // namespace topowise::pace
