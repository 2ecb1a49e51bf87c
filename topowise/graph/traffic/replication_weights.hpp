// SPDX-License-Identifier: BSD-3-Clause
// Weights of edges as a program states them where a graph has none: by listing an edge several times.
#pragma once

#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// How often MPI_Graph_create would list each edge: both directions of a pair weigh 1 to `heaviest` in proportion to
/// the bytes that the two exchange, the pair that exchanges most `heaviest`, and no pair less than 1 (Rashti et al.,
/// EuroMPI 2011, section 4.2.1: "the normalized weights range from 1 to 10"). Fractions are rounded. Messages to the
/// rank itself and pairs without bytes are left out. The entries' bytes are the weights, their messages 0.
[[nodiscard]] Traffic replication_weights(const Traffic& traffic, double heaviest = 10);

}  // namespace topowise
