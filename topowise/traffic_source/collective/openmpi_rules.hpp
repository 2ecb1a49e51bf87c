// SPDX-License-Identifier: BSD-3-Clause
// The rules by which Open MPI's 'tuned' module chooses an algorithm.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include <topowise/profile/format.hpp>

namespace topowise::collective {

enum class Algorithm {
  linear,
  chain,
  binary_tree,
  binomial_tree,
  knomial_tree,
  in_order_binary,
  split_binary,
  scatter_allgather,
  reduce_then_broadcast,
  reduce_then_scatter,
  gather_then_broadcast,
  recursive_doubling,
  ring,
  halving_doubling,
  recursive_halving,
  butterfly,
  bruck,
  neighbor_exchange,
  linear_with_ready,  ///< gather: the root asks each member to send
  tree,               ///< barrier
};

/// A rule holds for fewer members and fewer bytes than it says. The first rule that holds decides.
struct Rule {
  std::size_t members_below;
  double bytes_below;
  Algorithm algorithm;
};

inline constexpr std::size_t kAnyMembers = std::numeric_limits<std::size_t>::max();
inline constexpr double kAnyBytes = std::numeric_limits<double>::infinity();

/// The rules of an operation; none for an operation without a choice.
[[nodiscard]] std::span<const Rule> openmpi_rules(profile::Operation operation);

}  // namespace topowise::collective
