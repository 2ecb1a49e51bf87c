// SPDX-License-Identifier: BSD-3-Clause
// What an earlier run of the program sent, as the weights of a virtual topology (Rashti et al., EuroMPI 2011, section
// 4.2.1: profile, then run).
#pragma once

#include <cstdint>
#include <span>

#include <topowise/graph/traffic/traffic.hpp>

namespace topowise {

/// What the vertices of a communicator sent each other in the recorded run, in which vertex v was played by rank
/// `world_ranks[v]` of the job, whether or not there was an edge: a program also talks past its virtual topology. Ranks
/// below 0 or above the ranks of `job` sent nothing. `vertices` at most as many as `world_ranks`.
[[nodiscard]] Traffic recorded_weights(const Traffic& job, std::span<const std::int32_t> world_ranks,
                                       std::size_t vertices);

}  // namespace topowise
