// SPDX-License-Identifier: BSD-3-Clause
// A lower bound of the bytes between groups of ranks by a flow that has to leave them.
#pragma once

#include <cstdint>
#include <vector>

#include <topowise/graph/traffic/traffic.hpp>
#include <topowise/mapper/problem/csr_graph.hpp>
#include <topowise/mapper/problem/deadline.hpp>

namespace topowise {

class FlowBound {
 public:
  explicit FlowBound(const Traffic& traffic);

  /// Bytes, both directions counted, between ranks of different groups if no group has more than `largest`. More steps
  /// (visits of a rank) give a better bound. The number of sources for each rank limits them too, and the deadline.
  [[nodiscard]] double bytes_between(std::size_t largest, double steps,
                                     const Deadline& deadline = Deadline::never()) const;

 private:
  multilevel::Graph graph_;
  std::vector<std::uint32_t> edge_of_arc_;
  std::vector<double> bytes_;  ///< of every edge
};

}  // namespace topowise
