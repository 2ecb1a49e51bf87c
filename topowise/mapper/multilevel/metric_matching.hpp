// SPDX-License-Identifier: BSD-3-Clause
// Mappings for traffic that has the shape of the machine, or of a part of it: a torus onto its own torus.
#pragma once

#include <optional>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>

namespace topowise::multilevel {

/// Edges of weight 1 between blocks that are as near as the loneliest block's nearest neighbour; nothing if there are
/// more than `most_arcs`, as where all blocks are equally far.
[[nodiscard]] std::optional<Graph> nearest_neighbours(std::span<const double> distances, std::size_t blocks,
                                                      std::size_t most_arcs);

/// One rank a block, ranks <= blocks. Lays ranks next to their partners so that hops between ranks in `guest` resemble
/// hops between their blocks in `host`. A different `random` gives a different result.
[[nodiscard]] std::vector<int> match_metric(const Graph& guest, const Graph& host, Random& random);

}  // namespace topowise::multilevel
