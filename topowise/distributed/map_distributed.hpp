// SPDX-License-Identifier: BSD-3-Clause
// One mapping by several processes, each of which holds a piece of the traffic; docs/models/distributed.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <topowise/distributed/guest_graph.hpp>
#include <topowise/distributed/machine_parts.hpp>

namespace topowise::distributed {

/// Collective. Returns a part for every own vertex, by a seed.
using Partitioner = std::function<std::vector<int>(const GuestGraph&, const MachineParts&, std::uint64_t)>;

/// Collective. `problem` is the question without its traffic, of which only the number of ranks counts; `entries` is
/// what the ranks of this process' piece send. `mapper` maps the parts. The objective is hop-bytes. The result is whole
/// at process 0, the others have no mapping. Never worse than the identity. Throws AgreedError for everything that is
/// wrong with the question.
[[nodiscard]] MappingResult map_distributed(const Team& team, const MapProblem& problem,
                                            std::vector<TrafficEntry> entries, const std::string& mapper,
                                            const Partitioner& partitioner, const MapOptions& options = {});

}  // namespace topowise::distributed
