// SPDX-License-Identifier: BSD-3-Clause
// The state that all processes of a virtual node share: the owners of device memory, events between processes, the
// copies that are on the wires. It is one file in shared memory; the first process makes it, the last one removes it.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include <topowise/base/private_folder.hpp>

namespace topowise::fake {

/// The machine's monotonic clock: times of different processes are comparable.
using Nanoseconds = std::int64_t;
[[nodiscard]] Nanoseconds now();

/// A mutex between processes; it survives an owner that dies.
class SharedMutex {
 public:
  void initialize();
  void lock();
  void unlock();

 private:
  pthread_mutex_t mutex_;
};

struct SharedAllocation {
  std::uint64_t offset = 0;  ///< in the memory of all GPUs together
  std::uint64_t size = 0;    ///< 0: the slot is free
  std::uint64_t buffer = 0;  ///< never used twice
  pid_t owner = 0;
  std::int32_t gpu = 0;
  std::uint32_t importers = 0;  ///< processes that have it open
  bool freed = false;           ///< by its owner; the memory stays taken until the last importer has closed it
};

/// The state of an event: how often it was recorded, and which of these records have been reached.
struct EventCounters {
  std::atomic<std::uint64_t> recorded{0};
  std::atomic<std::uint64_t> completed{0};
  std::atomic<Nanoseconds> stamp{0};  ///< time of the last record that was reached
  std::atomic<pid_t> recorder{0};
  pid_t owner = 0;               ///< for an event between processes
  std::uint32_t references = 0;  ///< processes that hold it; 0: the slot is free
};

/// A copy between two GPUs that takes as long as the model says (pace.hpp).
struct PacedCopy {
  enum class State : std::uint32_t { free, waiting, latent, active, done };
  State state = State::free;
  pid_t owner = 0;
  std::uint32_t from = 0, to = 0;  ///< places
  std::uint64_t order = 0;         ///< time of arrival
  double remaining = 0;            ///< bytes
  double rate = 0;                 ///< bytes per nanosecond
  Nanoseconds latent_until = 0;
  Nanoseconds finish = 0;  ///< end time if nothing changes
  std::atomic<std::uint32_t> wake{0};
};

/// The process that now computes on a GPU (time slices).
struct SharedGpu {
  SharedMutex mutex;
  pid_t last = 0;
};

struct SharedState {
  static constexpr std::uint64_t kMagic = 0x746f706f77697365;  // "topowise"
  std::uint64_t magic = 0;
  SharedMutex mutex;  ///< protects allocations and events
  std::uint64_t next_buffer = 1;
  std::array<SharedAllocation, 4096> allocations;
  std::array<EventCounters, 1024> events;
  std::array<SharedGpu, 64> gpus;

  SharedMutex pace_mutex;
  Nanoseconds pace_time = 0;  ///< time up to which the copies have been played
  std::uint64_t pace_order = 0;
  std::array<PacedCopy, 512> copies;
};

[[nodiscard]] bool alive(pid_t process);

/// This process's share in the node. Its files are in a folder that only this user can enter.
class SharedNode {
 public:
  /// Joins the node, or makes it. `memory_size` is the memory of all GPUs together. Throws Error(not_available).
  SharedNode(const std::string& folder, const std::string& name, std::size_t memory_size);

  [[nodiscard]] SharedState& state() const { return *state_; }
  /// Device memory; the caller maps it.
  [[nodiscard]] int memory_file() const { return memory_file_; }
  /// Removes the files if there is no other process.
  void leave();

 private:
  bool join(std::size_t memory_size);
  PrivateFolder folder_;
  std::string place_, folder_name_, state_name_, memory_name_;
  int state_file_ = -1, memory_file_ = -1;
  SharedState* state_ = nullptr;
};

}  // namespace topowise::fake
