// SPDX-License-Identifier: BSD-3-Clause
// The processes of the job, by whichever of MPI's two models the program has begun: MPI_COMM_WORLD, or the process set
// "mpi://WORLD" of a session.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include <topowise/interpose/base/group.hpp>

namespace topowise::interpose {

/// Which models are up, by what the wrappers report. Safe for many threads; MPI is never asked under the lock, as the
/// program's error handler may call MPI again.
class Models {
 public:
  /// MPI_Init was called and MPI_Finalize was not.
  [[nodiscard]] bool world_is_active() const;
  /// A session that the program has open.
  [[nodiscard]] std::optional<Word> live_session() const;
  /// Whether one of them is up. Asks MPI: no wrapper has seen MPI_Init if this library came after it.
  [[nodiscard]] bool look(const Mpi& m);

  void begin_world();
  void open_session(Word session);
  // Both return whether now nothing is up any more.
  [[nodiscard]] bool end_world();
  [[nodiscard]] bool close_session(Word session);

 private:
  mutable std::mutex mutex_;
  std::vector<Word> sessions_;
  bool world_active_ = false;
  bool world_ended_ = false;  ///< also while MPI_Finalize is running: its attribute callbacks may call MPI
};
[[nodiscard]] Models& models();

struct World {
  int rank;
  int size;
};
// Both count by the ranks that the program knows (world_order.hpp).

/// This process's place in the job; nothing if MPI does not say.
[[nodiscard]] std::optional<World> world();
/// All processes of the job in the order of their ranks. False if MPI does not say.
[[nodiscard]] bool get_world(const Mpi& m, Group& group);

}  // namespace topowise::interpose
