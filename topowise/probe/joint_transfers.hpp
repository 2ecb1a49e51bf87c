// SPDX-License-Identifier: BSD-3-Clause
// Copies between GPUs that begin together: what a congestion model speaks of, by the GPUs' own events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <topowise/device/owned.hpp>
#include <topowise/probe/gpu_memory.hpp>

namespace topowise::probe {

/// One copy. Copies of one `queue`, a number of the caller's, leave one GPU one after the other, in the order of the
/// list.
struct JointTransfer {
  Place from, to;
  std::size_t bytes = 0;
  std::uint32_t queue = 0;
};

/// Seconds from the common begin to the end of each transfer, in the order of the list.
using TransferTimes = std::vector<double>;

class GpuTransfers {
 public:
  /// Transfers have at most `largest` bytes, between places that `memory` reaches; `memory` must live longer.
  GpuTransfers(GpuMemory& memory, std::size_t largest);

  /// The same transfers `repetitions` times, after `warm_up` times that do not count. Throws what the driver throws.
  [[nodiscard]] std::vector<TransferTimes> run(std::span<const JointTransfer> transfers, int repetitions, int warm_up);

  /// What the times do not show: that the host was too slow for copies to begin together.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct Queue;
  struct Buffers {
    device::OwnedMemory out;
    std::vector<device::OwnedMemory> in;  ///< a copy that arrives shares its memory with no other
  };
  [[nodiscard]] std::vector<Queue> make_queues(std::span<const JointTransfer> transfers);
  [[nodiscard]] device::Address arrival(int ordinal, std::size_t index);
  void close_gate() const;
  [[nodiscard]] TransferTimes run_once(std::span<const JointTransfer> transfers, std::vector<Queue>& queues);

  GpuMemory& memory_;
  device::Driver driver_;
  std::size_t largest_;
  std::map<int, Buffers> buffers_;  ///< by GPU
  int gate_gpu_;
  device::OwnedStream gate_stream_;
  device::OwnedMemory gate_memory_;
  device::OwnedEvent gate_;
  int fills_ = 1;
  std::size_t runs_ = 0;
  std::size_t late_ = 0;  ///< runs whose gate opened before all was queued
};

}  // namespace topowise::probe
