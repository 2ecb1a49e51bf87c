// SPDX-License-Identifier: BSD-3-Clause
// Open MPI: the choice of the 'tuned' module, which coll/base carries out. What it leaves to other modules (gatherv,
// scan) is linear. docs/models/collectives.md compares this with the library's own count.
#include <bit>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>

#include <topowise/profile/format.hpp>
#include <topowise/traffic_source/collective/exchanges.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/collective/trees.hpp>

namespace topowise::collective {
namespace {

// The rules by which Open MPI's 'tuned' module chooses an algorithm.
//
// The switch points are those of Open MPI 4.1 to 5.0, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, for commutative
// operations and communicators that share machines. Segment sizes do not matter to the bytes of a pair. Names of Open
// MPI that mean the same traffic are one name here: pipeline and chain (its fan-out is 1 there); the linear, pairwise
// and two-process all-to-all; blocking and nonblocking linear scatter.

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

using enum Algorithm;

constexpr Rule kBcast[] = {
    {4, 32, chain},
    {4, 256, binary_tree},
    {4, 512, chain},
    {4, 1024, knomial_tree},
    {4, 32768, linear},
    {4, 131072, binary_tree},
    {4, 262144, chain},
    {4, 524288, linear},
    {4, 1048576, binomial_tree},
    {4, kAnyBytes, binary_tree},
    {8, 64, binary_tree},
    {8, 128, binomial_tree},
    {8, 2048, binary_tree},
    {8, 8192, binomial_tree},
    {8, 1048576, linear},
    {8, kAnyBytes, chain},
    {16, 8, knomial_tree},
    {16, 64, binary_tree},
    {16, 4096, knomial_tree},
    {16, 16384, binary_tree},
    {16, 32768, binomial_tree},
    {16, kAnyBytes, linear},
    {32, 4096, knomial_tree},
    {32, 1048576, binomial_tree},
    {32, kAnyBytes, scatter_allgather},
    {64, 2048, binomial_tree},
    {64, kAnyBytes, knomial_tree},
    {128, kAnyBytes, knomial_tree},
    {256, 2, binomial_tree},
    {256, 16384, binary_tree},
    {256, 32768, linear},
    {256, 65536, binary_tree},
    {256, kAnyBytes, knomial_tree},
    {1024, 16384, knomial_tree},
    {1024, 32768, split_binary},
    {1024, kAnyBytes, knomial_tree},
    {2048, 524288, knomial_tree},
    {2048, kAnyBytes, scatter_allgather},
    {4096, 262144, knomial_tree},
    {4096, kAnyBytes, scatter_allgather},
    {kAnyMembers, 8192, knomial_tree},
    {kAnyMembers, 16384, binary_tree},
    {kAnyMembers, 262144, knomial_tree},
    {kAnyMembers, kAnyBytes, scatter_allgather},
};

constexpr Rule kReduce[] = {
    {4, 8, linear},
    {4, 16, binary_tree},
    {4, 32, chain},
    {4, 262144, linear},
    {4, kAnyBytes, chain},
    {8, 4096, binary_tree},
    {8, 65536, chain},
    {8, 262144, binomial_tree},
    {8, 524288, linear},
    {8, 1048576, binomial_tree},
    {8, kAnyBytes, linear},
    {16, 8192, binary_tree},
    {16, kAnyBytes, binomial_tree},
    {32, 4096, binary_tree},
    {32, kAnyBytes, binomial_tree},
    {256, kAnyBytes, binomial_tree},
    {512, 8192, binomial_tree},
    {512, 16384, in_order_binary},
    {512, kAnyBytes, binomial_tree},
    {2048, kAnyBytes, binomial_tree},
    {4096, 512, binomial_tree},
    {4096, 1024, in_order_binary},
    {4096, 8192, binomial_tree},
    {4096, 16384, in_order_binary},
    {4096, kAnyBytes, binomial_tree},
    {kAnyMembers, 16, binomial_tree},
    {kAnyMembers, 32, in_order_binary},
    {kAnyMembers, 1024, binomial_tree},
    {kAnyMembers, 2048, in_order_binary},
    {kAnyMembers, 8192, binomial_tree},
    {kAnyMembers, 16384, in_order_binary},
    {kAnyMembers, kAnyBytes, binomial_tree},
};

constexpr Rule kAllreduce[] = {
    {4, 8, ring},
    {4, 4096, recursive_doubling},
    {4, 8192, ring},
    {4, 16384, recursive_doubling},
    {4, 262144, ring},
    {4, kAnyBytes, halving_doubling},
    {8, 16, ring},
    {8, 8192, recursive_doubling},
    {8, kAnyBytes, halving_doubling},
    {16, 8192, recursive_doubling},
    {16, kAnyBytes, halving_doubling},
    {32, 64, ring},
    {32, 4096, recursive_doubling},
    {32, kAnyBytes, halving_doubling},
    {64, 128, ring},
    {64, kAnyBytes, halving_doubling},
    {128, 262144, recursive_doubling},
    {128, kAnyBytes, halving_doubling},
    {256, 131072, reduce_then_broadcast},
    {256, 262144, recursive_doubling},
    {256, kAnyBytes, halving_doubling},
    {512, 4096, reduce_then_broadcast},
    {512, kAnyBytes, halving_doubling},
    {2048, 2048, reduce_then_broadcast},
    {2048, 16384, recursive_doubling},
    {2048, kAnyBytes, halving_doubling},
    {4096, 2048, reduce_then_broadcast},
    {4096, 4096, ring},
    {4096, 16384, recursive_doubling},
    {4096, kAnyBytes, halving_doubling},
    {kAnyMembers, 2048, reduce_then_broadcast},
    {kAnyMembers, 16384, ring},
    {kAnyMembers, 32768, recursive_doubling},
    {kAnyMembers, kAnyBytes, halving_doubling},
};

constexpr Rule kAllgather[] = {
    {32, kAnyBytes, recursive_doubling},
    {64, 1024, recursive_doubling},
    {64, 65536, neighbor_exchange},
    {64, kAnyBytes, ring},
    {128, 512, recursive_doubling},
    {128, 65536, neighbor_exchange},
    {128, kAnyBytes, ring},
    {256, 512, recursive_doubling},
    {256, 131072, neighbor_exchange},
    {256, 524288, ring},
    {256, 1048576, neighbor_exchange},
    {256, kAnyBytes, ring},
    {512, 32, recursive_doubling},
    {512, 128, bruck},
    {512, 1024, recursive_doubling},
    {512, 131072, neighbor_exchange},
    {512, 524288, ring},
    {512, 1048576, neighbor_exchange},
    {512, kAnyBytes, ring},
    {1024, 64, recursive_doubling},
    {1024, 256, bruck},
    {1024, 2048, recursive_doubling},
    {1024, kAnyBytes, neighbor_exchange},
    {2048, 4, recursive_doubling},
    {2048, 8, bruck},
    {2048, 16, recursive_doubling},
    {2048, 32, bruck},
    {2048, 256, recursive_doubling},
    {2048, 512, bruck},
    {2048, 4096, recursive_doubling},
    {2048, kAnyBytes, neighbor_exchange},
    {4096, 32, bruck},
    {4096, 128, recursive_doubling},
    {4096, 512, bruck},
    {4096, 4096, recursive_doubling},
    {4096, kAnyBytes, neighbor_exchange},
    {kAnyMembers, 2, recursive_doubling},
    {kAnyMembers, 8, bruck},
    {kAnyMembers, 16, recursive_doubling},
    {kAnyMembers, 512, bruck},
    {kAnyMembers, 4096, recursive_doubling},
    {kAnyMembers, kAnyBytes, neighbor_exchange},
};

constexpr Rule kAllgatherv[] = {
    {3, kAnyBytes, ring},
    {8, 256, gather_then_broadcast},
    {8, 4096, neighbor_exchange},
    {8, 8192, ring},
    {8, 16384, neighbor_exchange},
    {8, 262144, bruck},
    {8, kAnyBytes, neighbor_exchange},
    {16, 1024, gather_then_broadcast},
    {16, kAnyBytes, bruck},
    {32, 128, gather_then_broadcast},
    {32, 262144, bruck},
    {32, kAnyBytes, ring},
    {64, 256, gather_then_broadcast},
    {64, 8192, bruck},
    {64, kAnyBytes, ring},
    {128, 256, gather_then_broadcast},
    {128, 4096, bruck},
    {128, kAnyBytes, ring},
    {256, 1024, bruck},
    {256, 65536, neighbor_exchange},
    {256, kAnyBytes, ring},
    {512, 1024, bruck},
    {512, kAnyBytes, ring},
    {1024, 512, bruck},
    {1024, 1024, gather_then_broadcast},
    {1024, 4096, bruck},
    {1024, 1048576, neighbor_exchange},
    {1024, kAnyBytes, ring},
    {kAnyMembers, 4096, bruck},
    {kAnyMembers, kAnyBytes, neighbor_exchange},
};

constexpr Rule kGather[] = {
    {4, 2, linear_with_ready},         {4, 4, linear},
    {4, 32768, binomial_tree},         {4, 65536, linear},
    {4, 131072, binomial_tree},        {4, kAnyBytes, linear_with_ready},
    {8, 1024, binomial_tree},          {8, 8192, linear},
    {8, 32768, binomial_tree},         {8, 262144, linear},
    {8, kAnyBytes, linear_with_ready}, {256, kAnyBytes, binomial_tree},
    {512, 2048, binomial_tree},        {512, 8192, linear},
    {512, kAnyBytes, binomial_tree},   {kAnyMembers, kAnyBytes, binomial_tree},
};

constexpr Rule kScatter[] = {
    {4, kAnyBytes, linear},           {8, 2048, binomial_tree}, {8, 4096, linear},
    {8, 8192, binomial_tree},         {8, kAnyBytes, linear},   {32, 16384, binomial_tree},
    {32, kAnyBytes, linear},          {64, 512, binomial_tree}, {64, 8192, linear},
    {64, 16384, binomial_tree},       {64, kAnyBytes, linear},  {kAnyMembers, 512, binomial_tree},
    {kAnyMembers, kAnyBytes, linear},
};

constexpr Rule kAlltoall[] = {
    {16, kAnyBytes, linear},    {32, 4, linear},
    {32, 512, bruck},           {32, kAnyBytes, linear},
    {64, 512, bruck},           {64, kAnyBytes, linear},
    {512, 1024, bruck},         {512, kAnyBytes, linear},
    {2048, 512, bruck},         {2048, kAnyBytes, linear},
    {4096, 1024, bruck},        {4096, kAnyBytes, linear},
    {kAnyMembers, 2048, bruck}, {kAnyMembers, kAnyBytes, linear},
};

constexpr Rule kReduceScatter[] = {
    {4, 65536, ring},
    {4, 131072, butterfly},
    {4, kAnyBytes, ring},
    {8, 8, reduce_then_scatter},
    {8, 262144, recursive_halving},
    {8, kAnyBytes, ring},
    {32, 262144, recursive_halving},
    {32, kAnyBytes, ring},
    {64, 64, reduce_then_scatter},
    {64, 2048, recursive_halving},
    {64, 524288, butterfly},
    {64, kAnyBytes, ring},
    {128, 256, reduce_then_scatter},
    {128, 512, recursive_halving},
    {128, 2048, butterfly},
    {128, 4096, recursive_halving},
    {128, kAnyBytes, butterfly},
    {256, 256, reduce_then_scatter},
    {256, 512, recursive_halving},
    {256, kAnyBytes, butterfly},
    {512, 256, reduce_then_scatter},
    {512, 1024, recursive_halving},
    {512, kAnyBytes, butterfly},
    {1024, 512, reduce_then_scatter},
    {1024, 2048, recursive_halving},
    {1024, 8192, butterfly},
    {1024, 16384, recursive_halving},
    {1024, kAnyBytes, butterfly},
    {2048, 512, reduce_then_scatter},
    {2048, 4096, recursive_halving},
    {2048, 16384, butterfly},
    {2048, 32768, recursive_halving},
    {2048, kAnyBytes, butterfly},
    {4096, 512, reduce_then_scatter},
    {4096, 4096, recursive_halving},
    {4096, kAnyBytes, butterfly},
    {kAnyMembers, 1024, reduce_then_scatter},
    {kAnyMembers, 8192, recursive_halving},
    {kAnyMembers, kAnyBytes, butterfly},
};

constexpr Rule kReduceScatterBlock[] = {
    {4, 4, recursive_doubling},
    {4, 8, butterfly},
    {4, 16, recursive_halving},
    {4, 128, butterfly},
    {4, 256, recursive_halving},
    {4, 4096, butterfly},
    {4, 8192, recursive_halving},
    {4, 131072, butterfly},
    {4, kAnyBytes, reduce_then_scatter},
    {8, 8, recursive_halving},
    {8, 32, recursive_doubling},
    {8, 256, butterfly},
    {8, 8192, recursive_halving},
    {8, 16384, butterfly},
    {8, 1048576, recursive_halving},
    {8, kAnyBytes, reduce_then_scatter},
    {16, 4, reduce_then_scatter},
    {16, 32, recursive_halving},
    {16, 128, butterfly},
    {16, 524288, recursive_halving},
    {16, 4194304, reduce_then_scatter},
    {16, kAnyBytes, butterfly},
    {32, 32, reduce_then_scatter},
    {32, 524288, recursive_halving},
    {32, 2097152, reduce_then_scatter},
    {32, 4194304, recursive_halving},
    {32, kAnyBytes, butterfly},
    {kAnyMembers, 4, recursive_halving},
    {kAnyMembers, 16, reduce_then_scatter},
    {kAnyMembers, 65536, butterfly},
    {kAnyMembers, 262144, reduce_then_scatter},
    {kAnyMembers, kAnyBytes, butterfly},
};

constexpr Rule kBarrier[] = {
    {4, kAnyBytes, recursive_doubling},
    {8, kAnyBytes, linear},
    {64, kAnyBytes, recursive_doubling},
    {256, kAnyBytes, bruck},
    {512, kAnyBytes, tree},
    {1024, kAnyBytes, bruck},
    {4096, kAnyBytes, tree},
    {kAnyMembers, kAnyBytes, bruck},
};

/// The rules of an operation; none for an operation without a choice.
std::span<const Rule> openmpi_rules(profile::Operation operation) {
  switch (operation) {
    case profile::Operation::bcast:
      return kBcast;
    case profile::Operation::reduce:
      return kReduce;
    case profile::Operation::allreduce:
      return kAllreduce;
    case profile::Operation::allgather:
      return kAllgather;
    case profile::Operation::allgatherv:
      return kAllgatherv;
    case profile::Operation::gather:
      return kGather;
    case profile::Operation::scatter:
      return kScatter;
    case profile::Operation::alltoall:
      return kAlltoall;
    case profile::Operation::reduce_scatter:
      return kReduceScatter;
    case profile::Operation::reduce_scatter_block:
      return kReduceScatterBlock;
    case profile::Operation::barrier:
      return kBarrier;
    default:
      return {};
  }
}

using profile::Operation;

Algorithm choose(Operation operation, std::size_t members, double bytes) {
  for (const Rule& rule : openmpi_rules(operation))
    if (members < rule.members_below && bytes < rule.bytes_below) return rule.algorithm;
  return Algorithm::linear;
}

Tree tree_of(Algorithm algorithm, std::size_t members, bool in_order) {
  constexpr std::size_t kRadix = 4;
  switch (algorithm) {
    case Algorithm::chain:
      return collective::chain(members);
    case Algorithm::binary_tree:
      return binary(members);
    case Algorithm::binomial_tree:
      return in_order ? binomial_low(members) : binomial_high(members);
    case Algorithm::knomial_tree:
      return knomial(members, kRadix);
    default:
      return star(members);
  }
}

double total(const std::vector<double>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

void openmpi_allgather(Algorithm algorithm, const std::vector<double>& parts, Sends& out) {
  const std::size_t members = parts.size();
  if (algorithm == Algorithm::recursive_doubling && std::has_single_bit(members))
    return allgather_recursive_doubling(parts, out);
  if (algorithm == Algorithm::recursive_doubling || algorithm == Algorithm::bruck) return allgather_bruck(parts, out);
  if (algorithm == Algorithm::neighbor_exchange && members % 2 == 0) return allgather_neighbor_exchange(parts, out);
  allgather_ring(parts, out);
}

void openmpi_bcast(std::size_t members, std::size_t root, double bytes, Sends& out) {
  const Algorithm algorithm = choose(Operation::bcast, members, bytes);
  if (algorithm == Algorithm::split_binary) return broadcast_split_binary(members, root, bytes, out);
  if (algorithm == Algorithm::scatter_allgather) {
    scatter(binomial_low(members), root, bytes / static_cast<double>(members), out);
    return openmpi_allgather(Algorithm::recursive_doubling,
                             std::vector<double>(members, bytes / static_cast<double>(members)), out);
  }
  broadcast(tree_of(algorithm, members, false), root, bytes, out);
}

void openmpi_reduce(std::size_t members, std::size_t root, double bytes, Sends& out) {
  const Algorithm algorithm = choose(Operation::reduce, members, bytes);
  if (algorithm == Algorithm::in_order_binary) return reduce_in_order(members, root, bytes, out);
  reduce(tree_of(algorithm, members, true), root, bytes, out);
}

void openmpi_allreduce(std::size_t members, double bytes, Sends& out) {
  Algorithm algorithm = choose(Operation::allreduce, members, bytes);
  // A ring needs at least one number for every member.
  if (algorithm == Algorithm::ring && elements(bytes) < static_cast<double>(members))
    algorithm = Algorithm::recursive_doubling;
  switch (algorithm) {
    case Algorithm::ring:
      return allreduce_ring(members, bytes, out);
    case Algorithm::halving_doubling:
      return allreduce_halving_doubling(members, bytes, out);
    case Algorithm::reduce_then_broadcast:
      openmpi_reduce(members, 0, bytes, out);
      return openmpi_bcast(members, 0, bytes, out);
    default:
      return allreduce_recursive_doubling(members, bytes, out);
  }
}

void openmpi_allgatherv(const std::vector<double>& parts, Sends& out) {
  const double all = total(parts);
  const Algorithm algorithm = choose(Operation::allgatherv, parts.size(), all / static_cast<double>(parts.size()));
  if (algorithm != Algorithm::gather_then_broadcast) return openmpi_allgather(algorithm, parts, out);
  for (std::size_t rank = 1; rank < parts.size(); ++rank) out.add(rank, 0, parts[rank]);
  openmpi_bcast(parts.size(), 0, all, out);
}

void openmpi_gather(std::size_t members, std::size_t root, double block, Sends& out) {
  const Algorithm algorithm = choose(Operation::gather, members, block);
  if (algorithm != Algorithm::linear_with_ready) return gather(tree_of(algorithm, members, true), root, block, out);
  // The root says when to send. The first kilobyte comes before the rest.
  constexpr double kFirstSegment = 1024;
  for (std::size_t rank = 0; rank < members; ++rank) {
    out.add(root, rank, 0);
    out.add(rank, root, block, block > kFirstSegment ? 2 : 1);
  }
}

void openmpi_reduce_scatter(Operation operation, const std::vector<double>& parts, Sends& out) {
  const double all = total(parts);
  const std::size_t members = parts.size();
  const bool by_block = operation == Operation::reduce_scatter_block;
  switch (choose(operation, members, by_block ? parts.front() : all)) {
    case Algorithm::ring:
      return reduce_scatter_ring(parts, out);
    case Algorithm::butterfly:
      return reduce_scatter_butterfly(parts, out);
    case Algorithm::recursive_doubling:
      return reduce_scatter_doubling(parts, out);
    case Algorithm::reduce_then_scatter:
      openmpi_reduce(members, 0, all, out);
      for (std::size_t rank = 1; rank < members; ++rank) out.add(0, rank, parts[rank]);
      return;
    default:
      return reduce_scatter_halving(parts, out);
  }
}

void openmpi_barrier(std::size_t members, Sends& out) {
  switch (choose(Operation::barrier, members, 0)) {
    case Algorithm::linear:
      return barrier_linear(members, out);
    case Algorithm::bruck:
      return barrier_dissemination(members, out);
    case Algorithm::tree:
      return barrier_tree(members, out);
    default:
      return barrier_recursive_doubling(members, out);
  }
}

}  // namespace

void expand_openmpi(const Call& call, Sends& out) {
  const std::size_t members = call.members;
  switch (call.operation) {
    case Operation::barrier:
      return openmpi_barrier(members, out);
    case Operation::bcast:
      return openmpi_bcast(members, call.root, call.bytes, out);
    case Operation::reduce:
      return openmpi_reduce(members, call.root, call.bytes, out);
    case Operation::allreduce:
      return openmpi_allreduce(members, call.bytes, out);
    case Operation::gather:
      return openmpi_gather(members, call.root, call.bytes, out);
    case Operation::scatter:
      return scatter(tree_of(choose(call.operation, members, call.bytes), members, true), call.root, call.bytes, out);
    case Operation::allgather:
      return openmpi_allgather(choose(call.operation, members, call.bytes), std::vector<double>(members, call.bytes),
                               out);
    case Operation::allgatherv:
      return openmpi_allgatherv(call.parts, out);
    case Operation::alltoall:
      return choose(call.operation, members, call.bytes) == Algorithm::bruck
                 ? alltoall_bruck(members, call.bytes, out)
                 : alltoall_direct(members, call.bytes, out);
    case Operation::reduce_scatter:
      return openmpi_reduce_scatter(call.operation, call.parts, out);
    case Operation::reduce_scatter_block:
      return openmpi_reduce_scatter(call.operation, std::vector<double>(members, call.bytes), out);
    case Operation::scan:
    case Operation::exscan:
      return scan_chain(members, call.bytes, out);
    default:
      return expand_linear(call, out);
  }
}

}  // namespace topowise::collective
