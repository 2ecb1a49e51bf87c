// SPDX-License-Identifier: BSD-3-Clause
// Collectives without a root: rings, recursive doubling and halving, Bruck's dissemination.
// `parts` has one block size for each member.
#pragma once

#include <cstddef>
#include <vector>

#include <topowise/traffic_source/collective/model.hpp>

namespace topowise::collective {

/// Cuts `bytes` into `count` blocks of whole numbers; the first ones are larger if the division leaves a rest. A number
/// is taken to have 8 bytes if that divides `bytes`, else 4, else 1.
[[nodiscard]] std::vector<double> blocks(double bytes, std::size_t count);
/// The count of such numbers in `bytes`.
[[nodiscard]] double elements(double bytes);

void allgather_ring(const std::vector<double>& parts, Sends& out);
void allgather_bruck(const std::vector<double>& parts, Sends& out);
/// Needs a power of two of members.
void allgather_recursive_doubling(const std::vector<double>& parts, Sends& out);
/// Needs an even number of members (Chen et al., "Performance evaluation of allgather algorithms on terascale Linux
/// cluster with fast Ethernet", 2005).
void allgather_neighbor_exchange(const std::vector<double>& parts, Sends& out);

void allreduce_recursive_doubling(std::size_t members, double bytes, Sends& out);
void allreduce_ring(std::size_t members, double bytes, Sends& out);
/// A reduce-scatter within each node, an allreduce of each block across the nodes, and an allgather within each node,
/// all by rings. `node_of` gives the node of each member. It is a plain ring if the nodes do not have equally many
/// members, at least 2.
void allreduce_hierarchical(const std::vector<std::size_t>& node_of, double bytes, Sends& out);
/// Rabenseifner: reduce-scatter by halving, allgather by doubling.
void allreduce_halving_doubling(std::size_t members, double bytes, Sends& out);

void reduce_scatter_ring(const std::vector<double>& parts, Sends& out);
void reduce_scatter_halving(const std::vector<double>& parts, Sends& out);
/// Each exchange carries all that the partner's side still needs; meant for blocks of a few bytes.
void reduce_scatter_doubling(const std::vector<double>& parts, Sends& out);
/// Halves from the nearest partner to the farthest (Traff, "An improved algorithm for (non-commutative) reduce-scatter
/// with an application", 2005).
void reduce_scatter_butterfly(const std::vector<double>& parts, Sends& out);
/// Every member sends each block straight to its owner.
void reduce_scatter_pairwise(const std::vector<double>& parts, Sends& out);
/// Rabenseifner's reduce: reduce_scatter_halving(), then a gather to the root.
void reduce_halving_gather(std::size_t members, std::size_t root, double bytes, Sends& out);

void alltoall_direct(std::size_t members, double block, Sends& out);
void alltoall_bruck(std::size_t members, double block, Sends& out);

void scan_chain(std::size_t members, double bytes, Sends& out);
void scan_recursive_doubling(std::size_t members, double bytes, Sends& out);

void barrier_linear(std::size_t members, Sends& out);
void barrier_recursive_doubling(std::size_t members, Sends& out);
void barrier_dissemination(std::size_t members, Sends& out);
void barrier_tree(std::size_t members, Sends& out);

}  // namespace topowise::collective
