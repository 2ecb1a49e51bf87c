// SPDX-License-Identifier: BSD-3-Clause
// Exchanges of parallel programs. Each rank's messages have the order in which such programs send them.
#pragma once

#include <span>

#include <topowise/base/units.hpp>
#include <topowise/graph/traffic/exchange.hpp>

namespace topowise {

/// Exchanges the faces of a grid with open boundaries, with ranks in row-major order. `directions` is the order in
/// which every rank serves its neighbours: 2 * d towards smaller, 2 * d + 1 towards larger coordinates of dimension d;
/// if empty, it is 0, 1, 2, ... Throws Error(bad_input) for an extent below 1 and for directions that are no
/// permutation.
[[nodiscard]] Exchange halo(std::span<const int> extents, Bytes bytes, std::span<const int> directions = {});
/// Rank r sends to r + 1, the last rank to the first.
[[nodiscard]] Exchange ring(std::size_t ranks, Bytes bytes);
/// Rank r sends to r + 1, r + 2, ..., modulo the number of ranks.
[[nodiscard]] Exchange all_to_all(std::size_t ranks, Bytes bytes);
/// In a scatter rank 0 sends to all others; in a gather all others send to rank 0.
[[nodiscard]] Exchange scatter(std::size_t ranks, Bytes bytes);
[[nodiscard]] Exchange gather(std::size_t ranks, Bytes bytes);

}  // namespace topowise
