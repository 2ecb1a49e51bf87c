// SPDX-License-Identifier: BSD-3-Clause
// Open MPI: the choice of the 'tuned' module, which coll/base carries out. What it leaves to other modules (gatherv,
// scan) is linear. docs/models/collectives.md compares this with the library's own count.
#include <bit>
#include <numeric>

#include <topowise/traffic_source/collective/exchanges.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/collective/openmpi_rules.hpp>
#include <topowise/traffic_source/collective/trees.hpp>

namespace topowise::collective {
namespace {

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
      return chain(members);
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
