// SPDX-License-Identifier: BSD-3-Clause
// All ways to halve the ranks that little traffic crosses.
#pragma once

#include <functional>

#include <topowise/mapper/exact/group_costs.hpp>

namespace topowise {

/// A function that is given the half with rank 0 and the bytes that cross, and returns the most bytes that may cross
/// from then on.
using HalfVisit = std::function<double(RankSet half, double crossing)>;

/// Visits every half that at most `most` bytes cross; once visit() was called, at most what it returned last. Returns
/// how many branches of the search tree were looked at; if that is above `limit`, not all halves were visited. Needs an
/// even number of ranks.
std::size_t visit_cheap_halves(const PairBytes& bytes, double most, std::size_t limit, const Deadline& deadline,
                               const HalfVisit& visit);

}  // namespace topowise
