// SPDX-License-Identifier: BSD-3-Clause
// The interface of this library, a plug-in of the preloaded one, for the reason that engine.hpp gives: what reduces on
// GPUs is a library of its own, opened only in jobs that ask for it. Plain C types, so that neither sees the other's
// C++ runtime.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace topowise::collective::plugin_interface {

/// Both sides must have been built from the same form of these structures.
inline constexpr std::int32_t kVersion = 6;
inline constexpr const char* kLibrary = "libtopowise_allreduce.so";
inline constexpr const char* kFunction = "topowise_allreduce_plugin";

/// Why something was not done; empty if there is nothing to say.
using Message = std::array<char, 480>;

/// Every rank gives `bytes` and gets those of all. Returns 0, or MPI's error.
using Gather = int (*)(void* context, const void* mine, void* all, std::size_t bytes);

/// What a communicator over several nodes needs; all functions return 0 or MPI's error. All ranks call `lead` together;
/// it brings the ranks that lead their node together, one per node. All of these call the other functions together.
struct AcrossNodes {
  int (*lead)(void* context, bool leads) = nullptr;
  int (*bitwise_and)(void* context, void* words, std::size_t bytes) = nullptr;  ///< in place
  /// Reduces in place, by the operation and of the type of the call that runs.
  int (*reduce)(void* context, void* vector, std::uint64_t count) = nullptr;
};

struct Meeting {
  std::int32_t rank = 0;
  std::int32_t size = 0;
  const char* algorithm = nullptr;  ///< a name, or "auto"
  Gather gather = nullptr;          ///< only used while they meet
  AcrossNodes across;
  /// Lets MPI go on with what this process has under way; called by a rank that waits for others in reduce(). May be
  /// null.
  void (*progress)(void* context) = nullptr;
  void* context = nullptr;  ///< must live as long as what is opened
};

/// What a rank has in a collective on vectors in GPU memory: a vector that it does not have is null. What can be done,
/// and how, is named by numbers that the library gives.
struct Vector {
  const void* input = nullptr;
  void* output = nullptr;
  std::uint64_t count = 0;  ///< of a share, where a rank's vector is the share of another one
  std::int32_t operation = 0;
  std::int32_t element = 0;
  std::int32_t collective = 0;
  std::int32_t root = 0;
  std::int32_t function = 0;  ///< of MPI, by the caller's numbers, below kMostFunctions: what report() is asked for
};
inline constexpr std::size_t kMostFunctions = 16;

/// Bytes in a row, by their distance from an address, which is below 0 for bytes before it.
struct Run {
  std::int64_t first = 0;
  std::size_t bytes = 0;
};

enum class Answer : std::int32_t { done, through_mpi, failed };

struct Functions {
  std::int32_t version;
  /// Number of a collective ("allreduce"), an operation ("sum") and an element ("f32"); below 0 for what is not known.
  std::int32_t (*collective)(const char* name);
  std::int32_t (*operation)(const char* name);
  std::int32_t (*element)(const char* name);
  std::size_t (*element_size)(std::int32_t element);
  bool (*can_reduce)(std::int32_t operation, std::int32_t element);
  /// All ranks of a communicator call it together; null at all of them, with a message, if they cannot meet. `alone` is
  /// set if this rank has no memory or MPI has failed: only it knows, and the others may wait for it.
  void* (*open)(const Meeting* meeting, Message* message, bool* alone);
  void (*pass)(void* ranks);
  // For a call that goes through MPI. spoil() says before it that this rank's vector cannot be read; is_spoiled() tells
  // after it whether any could not.
  void (*spoil)(void* ranks);
  bool (*is_spoiled)(void* ranks);
  Answer (*reduce)(void* ranks, const Vector* vector, Message* message);
  void (*close)(void* ranks);
  /// What the user should know of this object's choices; false if there is nothing new.
  bool (*notice)(void* ranks, Message* message);
  /// Copies from GPU memory to the host's; false with a message.
  bool (*copy_to_host)(void* to, const void* from, std::size_t bytes, Message* message);
  /// Copies the same runs of both vectors, at least one; false with a message.
  bool (*copy_to_gpu)(void* to, const void* from, const Run* runs, std::size_t count, Message* message);
  /// The last call but for report(), when everything is closed.
  void (*end)();
  /// How many calls of a function of MPI each algorithm did, in one line; empty for none.
  void (*report)(std::int32_t function, Message* text);
};

/// Null if `version` is not this library's.
using EntryPoint = const Functions* (*)(std::int32_t version);

}  // namespace topowise::collective::plugin_interface
