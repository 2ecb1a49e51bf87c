// SPDX-License-Identifier: BSD-3-Clause
// No member forwards anything: this is what an operation means, not how a library does it. It is the upper bound of
// what can be said without knowing the library, and the way of MPI 1's reference implementation.
#include <topowise/traffic_source/collective/exchanges.hpp>
#include <topowise/traffic_source/collective/model.hpp>
#include <topowise/traffic_source/collective/trees.hpp>

namespace topowise::collective {

// Every other model leaves what it does not know to this one. An operation that is forgotten here would lose its bytes
// without a word, so it must not compile.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
void expand_linear(const Call& call, Sends& out) {
  using profile::Operation;
  const std::size_t members = call.members;
  const auto part = [&](std::size_t rank) { return call.parts.empty() ? call.bytes : call.parts[rank]; };
  switch (call.operation) {
    case Operation::barrier:
      return barrier_linear(members, out);
    case Operation::bcast:
    case Operation::scatter:
      return broadcast(star(members), call.root, call.bytes, out);
    case Operation::reduce:
    case Operation::gather:
      return reduce(star(members), call.root, call.bytes, out);
    case Operation::gatherv:
      for (std::size_t rank = 0; rank < members; ++rank) out.add(rank, call.root, part(rank));
      return;
    case Operation::allreduce:
      reduce(star(members), 0, call.bytes, out);
      return broadcast(star(members), 0, call.bytes, out);
    case Operation::allgather:
    case Operation::alltoall:
      return alltoall_direct(members, call.bytes, out);
    case Operation::allgatherv:
      for (std::size_t rank = 0; rank < members; ++rank)
        for (std::size_t other = 0; other < members; ++other) out.add(rank, other, part(rank));
      return;
    case Operation::reduce_scatter:
      return reduce_scatter_pairwise(call.parts, out);
    case Operation::reduce_scatter_block:
      return reduce_scatter_pairwise(std::vector<double>(members, call.bytes), out);
    case Operation::scan:
    case Operation::exscan:
      return scan_chain(members, call.bytes, out);
    case Operation::scatterv:
    case Operation::alltoallv:
    case Operation::alltoallw:
    case Operation::neighbor_allgather:
    case Operation::neighbor_allgatherv:
    case Operation::neighbor_alltoall:
    case Operation::neighbor_alltoallv:
    case Operation::neighbor_alltoallw:
    case Operation::point_to_point:
      return;  // the split over the partners is known exactly
  }
}
#pragma GCC diagnostic pop

}  // namespace topowise::collective
