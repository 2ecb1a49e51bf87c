// SPDX-License-Identifier: BSD-3-Clause
// MPICH's classic selection, as Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005) describe it, with the switch points
// of MPICH 3 and 4 (MPIR_CVAR_*_MSG_SIZE). Within one machine MPICH first goes through shared memory, which is not
// modelled.
#include <bit>
#include <numeric>

#include <topowise/traffic_source/collective/exchanges.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/collective/trees.hpp>

namespace topowise::collective {
namespace {

using profile::Operation;

constexpr double kShortBcast = 12288;
constexpr double kLongBcast = 524288;
constexpr std::size_t kFewForBcast = 8;
constexpr double kShortReduce = 2048;
constexpr double kShortAllgather = 81920;  // of all parts together
constexpr double kLongAllgather = 524288;
constexpr double kShortAlltoall = 256;
constexpr std::size_t kFewForAlltoall = 8;
constexpr double kLongReduceScatter = 524288;

void mpich_allgather(const std::vector<double>& parts, Sends& out) {
  const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
  if (all < kLongAllgather && std::has_single_bit(parts.size())) return allgather_recursive_doubling(parts, out);
  if (all < kShortAllgather) return allgather_bruck(parts, out);
  allgather_ring(parts, out);
}

void mpich_bcast(std::size_t members, std::size_t root, double bytes, Sends& out) {
  if (bytes < kShortBcast || members < kFewForBcast) return broadcast(binomial_low(members), root, bytes, out);
  const std::vector<double> parts(members, bytes / static_cast<double>(members));
  scatter(binomial_low(members), root, parts.front(), out);
  if (bytes < kLongBcast && std::has_single_bit(members)) return allgather_recursive_doubling(parts, out);
  allgather_ring(parts, out);
}

/// True for a vector with fewer numbers than members, which cannot be cut.
bool too_short_to_cut(std::size_t members, double bytes) {
  return bytes <= kShortReduce || elements(bytes) < static_cast<double>(std::bit_floor(members));
}

void mpich_reduce_scatter(const std::vector<double>& parts, Sends& out) {
  if (std::accumulate(parts.begin(), parts.end(), 0.0) < kLongReduceScatter) return reduce_scatter_halving(parts, out);
  reduce_scatter_pairwise(parts, out);
}

}  // namespace

void expand_mpich(const Call& call, Sends& out) {
  const std::size_t members = call.members;
  switch (call.operation) {
    case Operation::barrier:
      return barrier_dissemination(members, out);
    case Operation::bcast:
      return mpich_bcast(members, call.root, call.bytes, out);
    case Operation::reduce:
      return too_short_to_cut(members, call.bytes) ? reduce(binomial_low(members), call.root, call.bytes, out)
                                                   : reduce_halving_gather(members, call.root, call.bytes, out);
    case Operation::allreduce:
      return too_short_to_cut(members, call.bytes) ? allreduce_recursive_doubling(members, call.bytes, out)
                                                   : allreduce_halving_doubling(members, call.bytes, out);
    case Operation::gather:
      return gather(binomial_low(members), call.root, call.bytes, out);
    case Operation::scatter:
      return scatter(binomial_low(members), call.root, call.bytes, out);
    case Operation::allgather:
      return mpich_allgather(std::vector<double>(members, call.bytes), out);
    case Operation::allgatherv:
      return mpich_allgather(call.parts, out);
    case Operation::alltoall:
      return call.bytes <= kShortAlltoall && members >= kFewForAlltoall ? alltoall_bruck(members, call.bytes, out)
                                                                        : alltoall_direct(members, call.bytes, out);
    case Operation::reduce_scatter:
      return mpich_reduce_scatter(call.parts, out);
    case Operation::reduce_scatter_block:
      return mpich_reduce_scatter(std::vector<double>(members, call.bytes), out);
    case Operation::scan:
    case Operation::exscan:
      return scan_recursive_doubling(members, call.bytes, out);
    default:
      return expand_linear(call, out);
  }
}

}  // namespace topowise::collective
