// SPDX-License-Identifier: BSD-3-Clause
// The memory that a process of an exchange sends from and receives into, and how the bytes travel.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <topowise/benchmark/rank_messages.hpp>
#include <topowise/device/driver.hpp>
#include <topowise/mpi/messages.hpp>
#include <topowise/mpi/team.hpp>

namespace topowise::benchmark {

/// All members but mark() and received() are collective: every process calls them in the same order.
class ExchangeMemory {
 public:
  ExchangeMemory() = default;
  ExchangeMemory(const ExchangeMemory&) = delete;
  ExchangeMemory& operator=(const ExchangeMemory&) = delete;
  virtual ~ExchangeMemory() = default;

  /// One iteration: returns when this process has sent and received all of its messages.
  virtual void exchange(const RankMessages& own) = 0;

  /// Sets every byte that this process sends from now on to this value.
  virtual void mark(unsigned char value) = 0;
  /// Byte number `offset` of what was received.
  [[nodiscard]] virtual unsigned char received(std::size_t offset) const = 0;
};

/// Sizes in bytes, of this process.
struct MemorySizes {
  std::size_t out = 0;
  std::size_t in = 0;
};

[[nodiscard]] std::unique_ptr<ExchangeMemory> host_exchange_memory(const mpi::Messages& messages, MemorySizes sizes);

/// How messages between GPUs travel.
enum class GpuWay : unsigned char {
  device,  ///< MPI takes them from GPU memory
  ipc,     ///< within a host a copy into memory that the receiver has exported; between hosts through host memory
  staged,  ///< all through host memory
};
[[nodiscard]] std::string_view to_string(GpuWay way);

struct GpuExchange {
  std::unique_ptr<ExchangeMemory> memory;
  GpuWay way = GpuWay::staged;
  std::string reason;  ///< why no better way was taken; may be empty
};

/// Exchange memory on the GPU `ordinal` of `driver`. All processes use the same way, the best one that all of them can
/// use. `host_of[p]` is the number of the host of process p.
[[nodiscard]] GpuExchange gpu_exchange_memory(const mpi::Team& team, const mpi::Messages& messages,
                                              const device::Driver& driver, int ordinal, MemorySizes sizes,
                                              const std::vector<std::size_t>& host_of);

}  // namespace topowise::benchmark
