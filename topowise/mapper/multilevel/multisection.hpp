// SPDX-License-Identifier: BSD-3-Clause
// Ranks to blocks from the top of the hierarchy down.
#pragma once

#include <vector>

#include <topowise/mapper/multilevel/host.hpp>
#include <topowise/mapper/multilevel/vcycle.hpp>

namespace topowise::multilevel {

/// Each a block for every rank.
struct Divisions {
  std::vector<int> in_order;              ///< the ranks as they come
  std::vector<std::vector<int>> divided;  ///< fewer than asked for, or none, if time runs out
};

/// From the best `count` different divisions at the top, again from the first, with other divisions below, where there
/// are fewer of them. What the deadline cuts is left out, but for a hierarchy: there the parts that it did not come to
/// are in order. `capacity` (of each block) may be less than the host's.
[[nodiscard]] Divisions multisection(const Graph& graph, const Host& host, std::span<const std::int64_t> capacity,
                                     int count, const Effort& effort, const Deadline& deadline, Random& random);

/// The host's capacities, cut down to little more than `ranks` in the smallest part of the hierarchy that holds them,
/// where the machine has much more capacity than that: near each other is better than evenly spread.
[[nodiscard]] std::vector<std::int64_t> compact_capacity(const Host& host, std::int64_t ranks);

}  // namespace topowise::multilevel
