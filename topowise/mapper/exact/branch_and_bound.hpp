// SPDX-License-Identifier: BSD-3-Clause
// Exact search for a quadratic assignment problem.
#pragma once

#include <utility>

#include <topowise/mapper/problem/deadline.hpp>
#include <topowise/mapper/problem/instance.hpp>

namespace topowise {

/// What a search that may be cut short knows at its end.
struct SearchResult {
  SlotOfRank slot_of_rank;
  double cost = 0;
  double lower_bound = 0;  ///< equals cost if the search was finished
  std::size_t branches = 0;
};

/// Most ranks x slots: the relaxation has the square of that many numbers.
inline constexpr std::size_t kLargestRelaxation = 1296;

/// What a mapping has to keep besides one rank a slot.
struct Restrictions {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> fixed;  ///< ranks and their slots; distinct
  std::vector<int> loads;                                      ///< of every rank; empty if places need not bear them
  std::vector<std::int64_t> bearable;                          ///< load, by place; empty if `loads` is
};

/// Starts from a known mapping. Ends with an optimal one or, after that many `branches` or at the deadline, with the
/// best one found. Needs ranks x slots <= kLargestRelaxation. `start` keeps the restrictions, as every mapping does
/// that is found or ruled out.
[[nodiscard]] SearchResult branch_and_bound(const Instance& instance, const Restrictions& restrictions,
                                            SlotOfRank start, std::size_t branches, const Deadline& deadline);

}  // namespace topowise
