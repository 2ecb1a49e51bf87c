// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <topowise/interpose/base/communicator.hpp>

namespace topowise::interpose::allreduce {

/// The ranks of a communicator, as the reducing library has them.
struct Team final : Attachment {
  void* ranks = nullptr;  ///< null if they cannot reduce on GPUs
  bool alone = false;     ///< this rank could not come to the others, who may wait for it: all its calls are errors
  /// Tells the others of a call that is the MPI library's; null if nobody need know.
  void (*pass)(void* ranks) = nullptr;
  Word comm = 0;
  Word leaders = 0;  ///< for a communicator over several nodes: the communicator of one rank per node
  bool leads = false;
  Word unending = 0;  ///< a request that is never complete while this object lives: to test it lets MPI go on
  Word type = 0, operation = 0;  ///< of the call that runs

  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() override;
};

/// The team of a communicator. Its making, at the first call, is collective. Null if there is no memory for it.
[[nodiscard]] Team* node_team(Communicator& communicator) noexcept;

}  // namespace topowise::interpose::allreduce
