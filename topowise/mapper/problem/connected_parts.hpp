// SPDX-License-Identifier: BSD-3-Clause
// A machine that falls apart, such as two trees of switches without a common root.
#pragma once

#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// The usable places, in parts whose places reach each other, each in the order of the problem. One part where no
/// distance is infinite. Takes O(places x parts).
[[nodiscard]] std::vector<std::vector<Place>> connected_parts(const MapProblem& problem);

/// True if all ranks that send or receive are joined by messages, directly or through others: then they have to be on
/// one part.
[[nodiscard]] bool is_connected(const Traffic& traffic);

}  // namespace topowise
