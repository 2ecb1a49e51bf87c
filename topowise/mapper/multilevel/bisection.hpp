// SPDX-License-Identifier: BSD-3-Clause
// First partitions of small graphs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <topowise/base/random.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>
#include <topowise/mapper/problem/deadline.hpp>

namespace topowise::multilevel {

/// Splits into blocks of the given capacities, by recursive bisection, each the best of `tries` grown from random seeds
/// and refined. Capacities are kept up to the load of single vertices where those do not fit otherwise.
[[nodiscard]] std::vector<int> recursive_bisection(const Graph& graph, std::span<const std::int64_t> capacity,
                                                   int tries, const Deadline& deadline, Random& random);

}  // namespace topowise::multilevel
