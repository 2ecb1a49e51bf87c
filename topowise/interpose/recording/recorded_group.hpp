// SPDX-License-Identifier: BSD-3-Clause
// A communicator as its collectives are recorded: the key of its member list in the file, and whom neighbourhood
// collectives send to.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include <topowise/interpose/base/communicator.hpp>

namespace topowise::interpose {

/// A neighbour that does not exist: beyond the open boundary of a Cartesian communicator.
inline constexpr std::int32_t kNoNeighbor = -2;

struct RecordedGroup : Attachment {
  std::uint64_t key = 0;  ///< of its GroupRecord
  std::atomic<bool> neighbors_known{false};
  std::vector<std::int32_t> neighbors;  ///< world ranks in the order of MPI's send buffers; once known, constant
};

enum class Neighbors : bool { not_asked, asked };

namespace detail {
[[nodiscard]] const RecordedGroup* record_group(Communicator& communicator, Neighbors neighbors) noexcept;
}

/// Null if there is no memory for it.
[[nodiscard]] inline const RecordedGroup* recorded_group(Communicator& communicator, Neighbors neighbors) noexcept {
  const auto* known = static_cast<const RecordedGroup*>(communicator.attached(AttachedBy::recording));
  const bool complete =
      known != nullptr && (neighbors == Neighbors::not_asked || known->neighbors_known.load(std::memory_order_acquire));
  return complete ? known : detail::record_group(communicator, neighbors);
}

}  // namespace topowise::interpose
