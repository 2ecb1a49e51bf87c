// SPDX-License-Identifier: BSD-3-Clause
// Copies between the memories of two GPUs, timed by the GPU's own events.
#pragma once

#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
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
  /// process. Only the first `most` places are used. Throws Error(not_available) if fewer than two are reachable.
  GpuMemory(device::Driver driver, const Topology& machine, std::size_t most = std::numeric_limits<std::size_t>::max());

  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::vector<std::string> notes() const override;
  [[nodiscard]] std::vector<Place> places() const override;
  [[nodiscard]] std::size_t most_at_once() const override;
  [[nodiscard]] std::unique_ptr<Line> connect(Place first, Place second, std::size_t largest) override;

  [[nodiscard]] const device::Driver& driver() const { return driver_; }
  /// The driver's number of the GPU on one of places().
  [[nodiscard]] int ordinal(Place place) const { return ordinals_.at(place); }
  /// Lets the GPU `from` use memory of `to` directly, if that can be; a note says where it cannot.
  void reach(int from, int to);

 private:
  device::Driver driver_;
  std::map<Place, int> ordinals_;
  std::vector<std::string> unreachable_;  ///< names of places that the driver does not show
  mutable std::mutex mutex_;
  std::set<std::pair<int, int>> staged_;  ///< directions without peer access
  std::string staged_example_;            ///< the first of them, with the reason
};

}  // namespace topowise::probe
