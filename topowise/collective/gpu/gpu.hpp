// SPDX-License-Identifier: BSD-3-Clause
// What one process keeps of its GPUs for all its communicators.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <topowise/collective/node/directory.hpp>
#include <topowise/device/driver.hpp>
#include <topowise/device/folds.hpp>
#include <topowise/device/owned.hpp>

namespace topowise::collective {

// GPU memory between processes: handles of what this process offers, and memory of others that it has opened. Both are
// kept, because each costs a call into the kernel's driver, and both are bounded, because programs allocate and free.
//
// An allocation is known by its number, which a driver never gives twice. An allocation that its owner has freed
// meanwhile stays open here. Nothing reads it, because a buffer is only used while its owner is inside the call, but
// the GPU has its memory back only when it is closed. So an allocation that is opened for the first time is closed
// again when the call ends: programs that allocate for each call never come with it again. An allocation that is opened
// for the second time stays open, until the owner comes with another one at its address, which drivers do not open
// beside the old one, or until more than a quarter of the GPU is open and this one was not used for the longest time.

/// Safe for use by several threads.
class Exports {
 public:
  explicit Exports(device::Driver driver) : driver_(std::move(driver)) {}
  /// What others need to open the memory around `address`, which lies on the selected device. `buffer` is 0 if the
  /// driver shares no such memory: it came from a pool, or was mapped piece by piece.
  [[nodiscard]] SharedMemory find(device::Address address, const device::PointerAttributes& attributes);

 private:
  device::Driver driver_;
  std::mutex mutex_;
  std::map<std::uint64_t, device::IpcHandle> handles_;  ///< by number of the allocation
};

/// Opens memory of a rank for the selected device. Ranks may be threads of one process, whose own memory no driver
/// opens: it is used at the address that it has. Throws what the driver says.
[[nodiscard]] device::OwnedImport open_memory(const device::Driver& driver, const ProcessMark& owner,
                                              const device::IpcHandle& handle, device::Address address);

/// Memory that is open; in use as long as somebody holds it.
using Import = std::shared_ptr<const device::OwnedImport>;

/// Safe for use by several threads.
class Imports {
 public:
  explicit Imports(device::Driver driver) : driver_(std::move(driver)) {}
  /// Opens memory of another process for the selected device, or gives what is open. Throws what the driver says.
  [[nodiscard]] Import open(const ProcessMark& owner, const SharedMemory& memory);
  /// Ends a call, whose memory nobody holds any more: closes what the selected device has opened for the first time,
  /// and what goes beyond a quarter of its memory.
  void end_call();
  /// Gives everything up: what nobody holds is closed.
  void close();

 private:
  using Owner = std::tuple<int, pid_t, std::uint64_t>;  ///< device that opened it; process and its start
  struct Entry {
    Owner owner;
    std::uint64_t buffer, base, size;
    bool stays;
    Import import;
  };
  device::Driver driver_;
  std::mutex mutex_;
  std::list<Entry> entries_;                        ///< the last used first
  std::set<std::pair<Owner, std::uint64_t>> seen_;  ///< allocations opened before, by number
  /// Closes what nobody holds, the last used last, where the selected device has more than a quarter of its memory or
  /// too many allocations open.
  void close_oldest();
};

struct Gpu {
  explicit Gpu(const device::Driver& opened);
  device::Driver driver;
  std::string lack_of_kernels;
  std::unique_ptr<device::Folds> folds;  ///< null where there is a lack of kernels
  Exports exports;
  Imports imports;
};

/// The GPUs of this process, opened at the first call. Throws Error(not_available) without a driver, at every call.
[[nodiscard]] Gpu& gpu();
/// A number of this GPU, or part of one, that is the same in every process.
[[nodiscard]] std::uint64_t name_of_gpu(const device::Device& device);
/// What a measurement holds for: "NVIDIA H100 80GB HBM3, cuda 13000, no MPS". The driver must have a GPU.
[[nodiscard]] std::string machine_of(const device::Driver& driver);
/// What gpu() has opened; null if it has opened nothing.
[[nodiscard]] Gpu* opened_gpu();

}  // namespace topowise::collective
