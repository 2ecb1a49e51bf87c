// SPDX-License-Identifier: BSD-3-Clause
// Device memory of this process: its own allocations, and those of other processes that it has opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "shared_state.hpp"

namespace topowise::fake {

using DevicePointer = std::uint64_t;

/// The allocation into which a device pointer points.
struct Allocation {
  DevicePointer base = 0;
  std::uint64_t size = 0;
  std::uint64_t buffer = 0;
  int gpu = 0;
  bool imported = false;
};

/// The 64 bytes of a handle that one process gives to another.
struct MemoryTicket {
  std::uint64_t magic = 0;
  std::uint64_t buffer = 0;
  std::uint32_t slot = 0;
  pid_t owner = 0;
};

/// The memory of all GPUs is one file. Device pointers are addresses in a range that the host cannot access (as on a
/// machine without coherent memory), and that differs from process to process; the driver accesses the memory by its
/// own mapping. Functions return result codes.
class DeviceMemory {
 public:
  DeviceMemory(SharedNode& node, std::size_t gpu_count, std::size_t gpu_size, bool coherent);

  int allocate(int gpu, std::size_t size, DevicePointer& address);
  int release(DevicePointer address);
  [[nodiscard]] std::size_t free_size(int gpu) const;
  [[nodiscard]] std::size_t gpu_size() const { return gpu_size_; }
  /// The live allocation around an address, if there is one.
  [[nodiscard]] std::optional<Allocation> find(DevicePointer address) const;
  /// The address at which the driver itself reads and writes that byte; for host memory, the same pointer. Null if the
  /// `size` bytes are not in one live allocation.
  [[nodiscard]] char* reach(DevicePointer address, std::size_t size) const;
  [[nodiscard]] bool is_device_range(DevicePointer address) const;

  int ticket(DevicePointer address, MemoryTicket& ticket) const;
  /// `may_reach(gpu)` returns 0, or the error code if the GPU that has the memory is out of reach.
  template <class MayReach>
  int open(const MemoryTicket& ticket, MayReach may_reach, DevicePointer& address);
  int close(DevicePointer address);
  /// Gives back all memory of this process.
  void release_all();

 private:
  struct Mine {
    std::uint64_t size = 0;
    std::uint64_t buffer = 0;
    std::uint32_t slot = 0;
    int gpu = 0;
    int opened = 1;  ///< how often an import was opened
  };
  using Table = std::map<std::uint64_t, Mine>;  ///< by offset
  [[nodiscard]] DevicePointer reserve(int file, bool coherent) const;
  [[nodiscard]] std::uint64_t gap(int gpu, std::uint64_t size) const;
  [[nodiscard]] std::optional<Allocation> find_in(const Table& table, DevicePointer begin, bool imported,
                                                  DevicePointer address) const;
  int check(const MemoryTicket& ticket, SharedAllocation& allocation) const;
  void forget_importer(const Mine& import);
  int add_import(const MemoryTicket& ticket, const SharedAllocation& allocation, DevicePointer& address);

  SharedNode& node_;
  std::size_t gpu_count_, gpu_size_;
  char* inside_ = nullptr;  ///< the driver's mapping
  DevicePointer own_ = 0, others_ = 0;
  mutable std::mutex mutex_;
  Table mine_, imports_;
};

template <class MayReach>
int DeviceMemory::open(const MemoryTicket& ticket, MayReach may_reach, DevicePointer& address) {
  SharedAllocation allocation;
  if (const int code = check(ticket, allocation)) return code;
  if (const int code = may_reach(static_cast<int>(allocation.gpu))) return code;
  return add_import(ticket, allocation, address);
}

}  // namespace topowise::fake
