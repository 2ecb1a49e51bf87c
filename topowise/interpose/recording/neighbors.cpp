// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/neighbors.hpp>

namespace topowise::interpose {
namespace {

std::vector<int> cartesian(const Mpi& m, Word comm) {
  int dimensions = 0;
  std::vector<int> ranks;
  if (m.Cartdim_get(comm, &dimensions) != 0) return ranks;
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int below = 0;
    int above = 0;
    if (m.Cart_shift(comm, dimension, 1, &below, &above) != 0) return {};
    ranks.insert(ranks.end(), {below, above});
  }
  return ranks;
}

std::vector<int> graph(const Mpi& m, Word comm, int rank) {
  int count = 0;
  if (m.Graph_neighbors_count(comm, rank, &count) != 0) return {};
  std::vector<int> ranks(static_cast<std::size_t>(count));
  if (m.Graph_neighbors(comm, rank, count, ranks.data()) != 0) return {};
  return ranks;
}

std::vector<int> distributed_graph(const Mpi& m, Word comm) {
  int sources = 0;
  int destinations = 0;
  int weighted = 0;
  if (m.Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted) != 0) return {};
  std::vector<int> in(static_cast<std::size_t>(sources) + 1);  // never null, also without any neighbour
  std::vector<int> in_weights(in.size());
  std::vector<int> out(static_cast<std::size_t>(destinations) + 1);
  std::vector<int> out_weights(out.size());
  if (m.Dist_graph_neighbors(comm, sources, in.data(), in_weights.data(), destinations, out.data(),
                             out_weights.data()) != 0)
    return {};
  out.pop_back();
  return out;
}

}  // namespace

std::vector<int> neighbors_of(const Mpi& m, Word comm, int rank) {
  int topology = 0;
  if (m.Topo_test(comm, &topology) != 0) return {};
  if (topology == m.family.cart) return cartesian(m, comm);
  if (topology == m.family.graph) return graph(m, comm, rank);
  if (topology == m.family.dist_graph) return distributed_graph(m, comm);
  return {};
}

}  // namespace topowise::interpose
