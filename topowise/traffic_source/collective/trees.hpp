// SPDX-License-Identifier: BSD-3-Clause
// Trees along which collectives with a root move data.
#pragma once

#include <cstddef>
#include <vector>

#include <topowise/traffic_source/collective/model.hpp>

namespace topowise::collective {

/// parent[v] of each position v, which is counted from the root (v = rank - root, cyclically); parent[0] = 0. A
/// parent's number is always smaller than its child's.
using Tree = std::vector<std::size_t>;

[[nodiscard]] Tree star(std::size_t members);
[[nodiscard]] Tree chain(std::size_t members);
/// Binomial tree: the parent of v lacks v's highest bit. It begins with few long steps.
[[nodiscard]] Tree binomial_high(std::size_t members);
/// Binomial tree "in order": the parent of v lacks v's lowest bit, so every subtree is a run of consecutive positions.
[[nodiscard]] Tree binomial_low(std::size_t members);
/// Like binomial_low(), in base `radix`.
[[nodiscard]] Tree knomial(std::size_t members, std::size_t radix);
/// Binary tree: level l is filled from left to right, alternately under all parents (0; 1 2; 3 5 under 1, 4 6 under 2).
[[nodiscard]] Tree binary(std::size_t members);

/// Sends the whole vector from the root down, or reduces it on the way up.
void broadcast(const Tree& tree, std::size_t root, double bytes, Sends& out);
void reduce(const Tree& tree, std::size_t root, double bytes, Sends& out);
/// Sends one block to each member. A message carries the blocks of the whole subtree.
void scatter(const Tree& tree, std::size_t root, double block, Sends& out);
void gather(const Tree& tree, std::size_t root, double block, Sends& out);

/// Reduces in the order of the ranks along a binary tree whose root is the last rank, which then sends to `root`.
void reduce_in_order(std::size_t members, std::size_t root, double bytes, Sends& out);
/// Broadcasts two halves down the two subtrees of a binary tree, which exchange them at the end.
void broadcast_split_binary(std::size_t members, std::size_t root, double bytes, Sends& out);

}  // namespace topowise::collective
