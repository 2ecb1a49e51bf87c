// SPDX-License-Identifier: BSD-3-Clause
// What a plan sends over the wires of a node of several sockets, which cost far more than the memory of one GPU.
#pragma once

#include <vector>

#include <topowise/collective/plan/plan.hpp>

namespace topowise::collective {

/// Sockets of a node, numbered from 0. The memory of the host that ranks share is taken to lie on the first one.
struct Sockets {
  std::vector<int> of_gpu;   ///< by GPU
  std::vector<int> of_rank;  ///< by rank: where its process runs
};

/// The GPUs of a layout are dealt out to `count` sockets as to its islands. Ranks run on their GPU's socket; where
/// there are fewer GPUs than sockets, they fill one socket after the other.
[[nodiscard]] Sockets sockets_of(const Layout& layout, int count);

/// Bytes in multiples of the vector's size m.
struct Crossings {
  double gpus = 0;     ///< between the memories of two GPUs
  double sockets = 0;  ///< between two sockets, whatever they are read from or written to
};
[[nodiscard]] Crossings crossings(const Plan& plan, const Layout& layout, const Sockets& sockets);

}  // namespace topowise::collective
