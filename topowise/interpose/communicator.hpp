// SPDX-License-Identifier: BSD-3-Clause
// What must be known of a communicator or window to credit its messages: who its members are in the world.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <topowise/interpose/arguments.hpp>
#include <topowise/interpose/member_list.hpp>

namespace topowise::interpose {

/// A neighbour that does not exist: a slot of a Cartesian communicator at an open boundary.
inline constexpr std::int32_t kNobody = -2;

struct Communicator {
  Word handle = 0;  ///< of C
  bool inter = false;
  int rank = 0;                         ///< of this process, in the local group
  MemberList members;                   ///< the local group
  MemberList remote;                    ///< of an intercommunicator
  std::atomic<std::uint64_t> group{0};  ///< key of its GroupRecord, 0 until a collective is recorded
  std::atomic<bool> neighbors_known{false};
  std::vector<std::int32_t>
      neighbors;  ///< world ranks that neighbourhood collectives send to, in MPI's order; once known, constant

  /// Whom a destination or target rank counts in.
  [[nodiscard]] const MemberList& destinations() const { return inter ? remote : members; }
};

/// MPI recycles a handle as soon as its object (communicator, window, datatype) is freed. This number then changes, and
/// whatever a thread remembers of handles from before is void. Relaxed is enough: a program that uses the recycled
/// handle in another thread has itself synchronised the two.
inline constinit std::atomic<std::uint32_t> handle_generation{1};
inline void next_handle_generation() noexcept {
  handle_generation.fetch_add(1, std::memory_order_relaxed);
}

/// The communicators and windows seen so far, for all threads.
class Communicators {
 public:
  /// Null if MPI does not tell the members (an invalid handle: the call itself will say so).
  [[nodiscard]] Communicator* find(const GroupRef& ref) noexcept;
  /// Fills in `group`, and if asked for `neighbors`. False if there is no memory for that.
  [[nodiscard]] bool complete(Communicator& communicator, bool with_neighbors) noexcept;

  /// About to be freed or disconnected.
  void forget(Word handle, GroupRef::Kind kind) noexcept;
  void forget_all() noexcept;

 private:
  struct Name {
    Word word;
    Language language;
    GroupRef::Kind kind;
    friend auto operator<=>(const Name&, const Name&) = default;
  };
  std::shared_ptr<Communicator> find_locked(const GroupRef& ref);
  void write_group(Communicator& communicator);

  std::recursive_mutex mutex_;  // the program's error handler may call MPI from inside our questions
  std::map<Name, std::shared_ptr<Communicator>> known_;  // a Fortran and a C handle of one object share it
  std::vector<std::uint64_t> written_;                   // keys of the GroupRecords in the file
};

[[nodiscard]] Communicators& communicators();

/// The processes of MPI_COMM_WORLD, or of the process set "mpi://WORLD" in a program that only uses sessions.
struct World {
  int rank;
  int size;
};
[[nodiscard]] std::optional<World> world();

}  // namespace topowise::interpose
