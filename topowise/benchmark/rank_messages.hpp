// SPDX-License-Identifier: BSD-3-Clause
// The messages of each process in one iteration of an exchange, when it plays the rank that a mapping gives it.
#pragma once

#include <cstddef>
#include <vector>

#include <topowise/graph/mapping.hpp>
#include <topowise/graph/traffic/traffic.hpp>

namespace topowise::benchmark {

/// One message.
struct Part {
  int other = 0;  ///< the process at the other end
  std::size_t bytes = 0;
  std::size_t offset = 0;  ///< where the message begins in the memory that its receiver receives into
};

/// The messages of one process. They leave in the order of the ranks that they go to.
struct RankMessages {
  std::vector<Part> out;
  std::vector<Part> in;

  [[nodiscard]] std::size_t most_out() const;  ///< bytes of the largest outgoing message: all leave from one buffer
  [[nodiscard]] std::size_t all_in() const;    ///< bytes of the memory to receive into
};

/// The messages of each process, by process; process `process_of[r]` plays rank r. Messages of a rank to itself are
/// left out.
[[nodiscard]] std::vector<RankMessages> rank_messages(const Traffic& traffic, const std::vector<int>& process_of);

/// The process that plays each rank, by rank, if process p is on place_of[p]. Where several processes share a
/// place, the lower ranks get the lower processes. The mapping must have a rank for every process, and put as many
/// ranks on a place as there are processes.
[[nodiscard]] std::vector<int> processes_of(const Mapping& mapping, const std::vector<Place>& place_of);

}  // namespace topowise::benchmark
