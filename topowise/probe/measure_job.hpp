// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a job measure the pairs of a machine, several at once where they do not disturb each other.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include <topowise/mpi/messages.hpp>
#include <topowise/mpi/team.hpp>
#include <topowise/probe/measure.hpp>
#include <topowise/probe/rank_memory.hpp>

namespace topowise::probe {

struct JobPlan {
  Plan plan;
  std::vector<Round> rounds;              ///< all pairs of the plan
  std::vector<std::size_t> rank_of;       ///< by place; any number for places in no pair
  std::vector<std::size_t> host_of_rank;  ///< number of the host
};

/// What pairs of ranks on one host have in common beside the links of their routes.
enum class Sharing : unsigned char {
  links,  ///< nothing: GPU memory
  host,   ///< the memory controllers
};

/// Rounds of at most `most` pairs for the ranks of a job. A pair occupies the links of its route as far as they are
/// known, else the whole network or its host; between hosts, both hosts as well.
[[nodiscard]] std::vector<Round> job_rounds(const Topology& machine, const std::vector<PairOfPlaces>& pairs,
                                            const std::vector<std::size_t>& host_of_place, Sharing sharing,
                                            std::size_t most);

struct JobSamples {
  Samples samples;                        ///< in the order of the plan; empty except at process 0
  std::array<std::size_t, kWays> ways{};  ///< how many pairs went each way
  std::vector<std::string> reasons;       ///< why pairs did not go a better way; each once
};

/// Collective. `progress` receives the pairs done.
[[nodiscard]] JobSamples measure_in_job(const mpi::Team& team, const mpi::Messages& messages, RankMemory& memory,
                                        const JobPlan& plan, const std::function<void(std::size_t done)>& progress);

}  // namespace topowise::probe
