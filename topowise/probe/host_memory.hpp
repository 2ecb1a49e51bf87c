// SPDX-License-Identifier: BSD-3-Clause
// Messages between two processors through memory that both can see.
#pragma once

#include <string>
#include <vector>

#include <topowise/graph/topology.hpp>
#include <topowise/probe/line.hpp>

namespace topowise::probe {

class HostMemory final : public Memory {
 public:
  /// A place is measured from one processor of those nearest to it; places with the same processors get different ones
  /// as far as there are enough. Throws Error(not_available) if there are fewer than two places.
  explicit HostMemory(const Topology& machine);

  [[nodiscard]] std::string description() const override { return "host memory, two threads"; }
  [[nodiscard]] std::vector<std::string> notes() const override;
  [[nodiscard]] std::vector<Place> places() const override;
  /// One pair, because all share the memory controllers.
  [[nodiscard]] std::size_t most_at_once() const override { return 1; }
  [[nodiscard]] std::unique_ptr<Line> connect(Place first, Place second, std::size_t largest) override;

 private:
  std::vector<int> processors_;  ///< by place; -1 where none is known or allowed
  std::vector<std::string> unbound_;
};

}  // namespace topowise::probe
