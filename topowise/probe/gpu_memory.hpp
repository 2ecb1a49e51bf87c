// SPDX-License-Identifier: BSD-3-Clause
// Copies between the memories of two GPUs, timed by the GPU's own events.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <topowise/device/driver.hpp>
#include <topowise/graph/topology.hpp>
#include <topowise/probe/line.hpp>

namespace topowise::probe {

/// True if no GPU is behind it: figures then say nothing of a real one.
[[nodiscard]] bool is_simulated(const device::Driver& driver);

class GpuMemory final : public Memory {
 public:
  /// Places and the driver's GPUs are matched by bus id, else by UUID: the driver counts only what it shows to this
  /// process. Throws Error(not_available) if fewer than two places are reachable.
  GpuMemory(device::Driver driver, const Topology& machine);

  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::vector<std::string> notes() const override;
  [[nodiscard]] std::vector<Place> places() const override;
  [[nodiscard]] std::size_t most_at_once() const override;
  [[nodiscard]] std::unique_ptr<Line> connect(Place first, Place second, std::size_t largest) override;

 private:
  void reach(int from, int to);

  device::Driver driver_;
  std::map<Place, int> ordinals_;
  std::vector<std::string> unreachable_;  ///< names of places that the driver does not show
  mutable std::mutex mutex_;
  std::size_t staged_ = 0;      ///< directions without peer access
  std::string staged_example_;  ///< the first of them, with the reason
};

}  // namespace topowise::probe
