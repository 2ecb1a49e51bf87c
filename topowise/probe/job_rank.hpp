// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a measuring job are, and the places of a machine that they are on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/mpi/team.hpp>

namespace topowise::probe {

/// What a rank says of itself.
struct JobRank {
  std::string host;
  std::string cpus;      ///< Linux cpulist of the processors that it may use
  std::string gpu_pci;   ///< bus id of its GPU; empty if host memory is measured
  std::string gpu_uuid;  ///< likewise
};

/// Collective: what everybody says, by rank.
[[nodiscard]] std::vector<JobRank> gather_ranks(const mpi::Team& team, const JobRank& own);

/// Hosts in the order of their first rank; for each rank the number of its host.
struct HostNumbers {
  std::vector<std::string> names;
  std::vector<std::size_t> of_rank;
};
[[nodiscard]] HostNumbers number_hosts(const std::vector<JobRank>& ranks);

/// What is known without measuring: a compute node for each host, and on it a place for each of its ranks (the node
/// itself if it has only one). `path` states the class of two ranks; without it no pair has any.
using PathOfRanks = std::function<PathClass(std::size_t, std::size_t)>;
[[nodiscard]] Topology machine_of(const std::vector<JobRank>& ranks, const PathOfRanks& path = {});

/// The rank that is on each place of a machine, if there is one. GPUs are matched by bus id (or UUID) and host,
/// compute nodes by host, cores by host and processors. Slots of an abstract machine are taken in order if there are as
/// many as ranks.
[[nodiscard]] std::vector<std::optional<std::size_t>> ranks_on(const Topology& machine,
                                                               const std::vector<JobRank>& ranks);

/// The other way round: the place that each rank is on. Ranks may share a compute node, and nothing else. GPUs that
/// a description does not name (presets) are taken in the order of the bus ids, if ranks of one host have as many.
[[nodiscard]] std::vector<std::optional<Place>> places_of(const Topology& machine, const std::vector<JobRank>& ranks);

}  // namespace topowise::probe
