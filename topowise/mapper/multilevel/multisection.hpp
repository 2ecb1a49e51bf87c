// SPDX-License-Identifier: BSD-3-Clause
// Ranks to blocks from the top of the hierarchy down.
#pragma once

#include <vector>

#include <topowise/mapper/multilevel/host.hpp>
#include <topowise/mapper/multilevel/vcycle.hpp>

namespace topowise::multilevel {

/// Mappings, each with a block for every rank.
struct Divisions {
  std::vector<int> in_order;              ///< the ranks as they come
  std::vector<std::vector<int>> divided;  ///< fewer than asked for, or none, if time runs out
};

/// Begins from the best `count` different divisions at the top. Where there are fewer of them, it begins again from the
/// first, with other divisions below. What the deadline cuts is left out, except on a hierarchy: there the parts that
/// were not divided in time are in order. `capacity` (of each block) may be less than the host's.
[[nodiscard]] Divisions multisection(const Graph& graph, const Host& host, std::span<const std::int64_t> capacity,
                                     int count, const Effort& effort, const Deadline& deadline, Random& random);

/// The host's capacities, cut down to little more than `ranks` in the smallest part of the hierarchy that holds them,
/// where the machine has much more capacity than that: near each other is better than evenly spread.
[[nodiscard]] std::vector<std::int64_t> compact_capacity(const Host& host, std::int64_t ranks);

}  // namespace topowise::multilevel
