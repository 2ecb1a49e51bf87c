// SPDX-License-Identifier: BSD-3-Clause
// Collectives without a root: rings, recursive doubling and halving, Bruck's dissemination.
// `parts` has one block size for each member.
#pragma once

#include <cstddef>
#include <vector>

#include <topowise/traffic_source/collective/model.hpp>

namespace topowise::collective {

/// `bytes` cut into `count` blocks of whole numbers, the first ones larger if it does not divide. The numbers are taken
/// to be of 8 bytes if that divides `bytes`, else of 4, else single bytes.
[[nodiscard]] std::vector<double> blocks(double bytes, std::size_t count);
/// How many such numbers `bytes` are.
[[nodiscard]] double elements(double bytes);

void allgather_ring(const std::vector<double>& parts, Sends& out);
void allgather_bruck(const std::vector<double>& parts, Sends& out);
/// For a power of two of members.
void allgather_recursive_doubling(const std::vector<double>& parts, Sends& out);
/// For an even number of members (Chen et al., "Performance evaluation of allgather algorithms on terascale Linux
/// cluster with fast Ethernet", 2005).
void allgather_neighbor_exchange(const std::vector<double>& parts, Sends& out);

void allreduce_recursive_doubling(std::size_t members, double bytes, Sends& out);
void allreduce_ring(std::size_t members, double bytes, Sends& out);
/// Within each node a reduce-scatter, across the nodes an allreduce of each block, within each node an allgather, all
/// by rings. `node_of` each member; a plain ring if the nodes have not equally many members, 2 at least.
void allreduce_hierarchical(const std::vector<std::size_t>& node_of, double bytes, Sends& out);
/// Rabenseifner: reduce-scatter by halving, allgather by doubling.
void allreduce_halving_doubling(std::size_t members, double bytes, Sends& out);

void reduce_scatter_ring(const std::vector<double>& parts, Sends& out);
void reduce_scatter_halving(const std::vector<double>& parts, Sends& out);
/// Every exchange carries what the partner's side still needs; for blocks of a few bytes.
void reduce_scatter_doubling(const std::vector<double>& parts, Sends& out);
/// Halving from the nearest partner to the farthest (Traff, "An improved algorithm for (non-commutative) reduce-scatter
/// with an application", 2005).
void reduce_scatter_butterfly(const std::vector<double>& parts, Sends& out);
/// Every member sends each block straight to its owner.
void reduce_scatter_pairwise(const std::vector<double>& parts, Sends& out);
/// Rabenseifner's reduce: as reduce_scatter_halving(), then a gather to the root.
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
