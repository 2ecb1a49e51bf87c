// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a node have in common: the paper's directory, in memory of the host that all of them map. Plain
// data for processes that were built alike; node_ranks makes and uses it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <topowise/collective/node/process_life.hpp>
#include <topowise/collective/plan/plan.hpp>
#include <topowise/device/functions.hpp>

namespace topowise::collective {

/// GPU memory of one rank, as others open it.
struct SharedMemory {
  device::IpcHandle handle{};  ///< of the whole allocation
  std::uint64_t buffer = 0;    ///< its number in its process: never used twice; 0: cannot be shared
  std::uint64_t offset = 0;    ///< of the buffer, in the allocation
  std::uint64_t base = 0;      ///< begin of the allocation, an address in its process
  std::uint64_t size = 0;      ///< of the allocation
};

/// How a rank proposes to do a call; rank 0 decides for all.
enum class Proposal : std::uint32_t {
  through_mpi,  ///< buffers in host memory, or what only the MPI library can reduce
  on_gpu,
};
struct CallRecord {
  Proposal proposal = Proposal::through_mpi;
  std::uint32_t operation = 0;
  std::uint32_t element = 0;
  std::uint32_t kernels = 0;  ///< 1: this rank has kernels for its GPU
  std::uint32_t collective = 0;
  std::int32_t root = 0;
  std::uint64_t count = 0;
  std::uint64_t gpu = 0;       ///< the same number in every process
  std::array<char, 16> pci{};  ///< "0000:0a:00.0"
  SharedMemory input, output;
};

/// Memory of a plan's own that a rank offers to the others.
struct ScratchRecord {
  device::IpcHandle handle{};
  std::uint64_t address = 0;  ///< in its process
};

/// A flag that others wait for; its value only grows.
using FlagWord = std::atomic<std::uint64_t>;
static_assert(FlagWord::is_always_lock_free);
/// What ranks say beside a plan's flags: while they prepare an algorithm, and when something ends.
inline constexpr std::size_t kPhases = 7;
inline constexpr std::size_t kPrepared = 3;  ///< phases 0 to 2 are the scratch memory's
inline constexpr std::size_t kEnded = 4;     ///< a call across nodes
inline constexpr std::size_t kClosed = 5;
inline constexpr std::size_t kSettled = 6;  ///< the last call after which nothing of this rank is under way

/// What one rank writes. It is aligned to two cache lines, because they are read in pairs.
struct alignas(128) RankLine {
  std::array<FlagWord, kFlags> flags{};
  std::array<FlagWord, kPhases> phases{};
  std::atomic<std::uint32_t> sleepers{0};  ///< other ranks that wait for one of these flags
  ProcessMark process;
  alignas(128) CallRecord call;
  ScratchRecord scratch;
};

/// The first failure; nothing is done on the GPU from then on.
struct Failure {
  std::atomic<std::uint32_t> state{0};  ///< 1: being written, 2: written
  std::int32_t rank = 0;                ///< the rank that ended, or that had the error
  std::uint64_t call = 0;
  std::array<char, 400> text{};
};

struct DirectoryHead {
  static constexpr std::uint64_t kMagic = 0x746f706f616c6c36;
  std::uint64_t magic = 0;
  std::uint64_t nonce = 0;
  std::int32_t ranks = 0;
  Failure failure;
  /// The last decision of rank 0 that was not through_mpi, with its round. A rank may read it late: rank 0 gives the
  /// next one when all have come to that round.
  std::atomic<std::uint64_t> decision{0};
  /// The last even and the last odd call whose vector a rank could not read. In an allreduce no rank leaves a call
  /// before all have come to it. A rank behind the root of a broadcast may find a later call than its own, and takes
  /// its own for spoiled.
  std::array<std::atomic<std::uint64_t>, 2> spoiled{};
  // The layout. Rank 0 writes it, and changes it only before ranks prepare for it.
  static constexpr std::size_t kMostInLayout = 256;  ///< ranks; more are as on one GPU
  std::array<std::uint8_t, kMostInLayout> gpu{}, island{};
  std::int32_t gpus = 1;
  std::int32_t bonded = 0;
};

}  // namespace topowise::collective
