// SPDX-License-Identifier: BSD-3-Clause
// What NCCL or RCCL does -> rows of the profile. NCCL calls are few beside MPI's messages, each is a kernel on a GPU:
// so all threads share the rows, under a lock.
#pragma once

#include <cstdint>

#include <topowise/profile/format.hpp>

namespace topowise::interpose::nccl {

/// A communicator as the library states one of its members.
struct Communicator {
  std::uint64_t key = 0;  ///< the same in all members
  int rank = 0;           ///< of this member
  int size = 0;           ///< 0: not known
  int nodes = 0;          ///< 0: not known
  const char* name = nullptr;
  int gpu = -1;  ///< its number in this process; below 0: not known
};

/// A collective call as one member makes it.
struct Call {
  profile::Operation operation;
  int root = profile::kNoRoot;
  std::uint64_t bytes = 0;  ///< as profile::Share says
  int channels = 0;         ///< 0: not known
  const char* algorithm = nullptr;
  const char* protocol = nullptr;
};

/// Whether NCCL's calls are to be recorded; opens the profile of this process at the first communicator. Where no
/// launcher states the process's rank, it is the one in that communicator, as in programs of which every process has
/// one GPU.
[[nodiscard]] bool begin(const Communicator& first) noexcept;

inline constexpr int kNoMember = -1;
/// The number of a member of a communicator in this process; its row is written at the first time. kNoMember if there
/// is no memory for it. Call it only after begin().
[[nodiscard]] int member(const Communicator& communicator) noexcept;

void count_call(int member, const Call& call) noexcept;
/// `peer` is a rank in the communicator.
void count_message(int member, int peer, std::uint64_t bytes) noexcept;

}  // namespace topowise::interpose::nccl
