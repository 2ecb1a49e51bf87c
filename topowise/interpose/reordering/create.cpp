// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/create.hpp>

#include <cstring>
#include <new>
#include <vector>

#include <topowise/interpose/base/complain.hpp>
#include <topowise/interpose/reordering/adjacency.hpp>
#include <topowise/interpose/reordering/calls.hpp>
#include <topowise/interpose/reordering/settings.hpp>

namespace topowise::interpose::reordering {
namespace {

/// The number of vertices of a grid; 0 if it is none that fits `processes`.
int cells_of(int dimensions, const int* extents, int processes) {
  std::int64_t cells = dimensions > 0 ? 1 : 0;
  for (int axis = 0; axis < dimensions && cells > 0 && cells <= processes; ++axis) cells *= extents[axis];
  return cells >= 1 && cells <= processes ? static_cast<int>(cells) : 0;
}

bool is_intra(const Mpi& m, Word comm) {
  int inter = 1;
  return m.family.handle(comm) != m.family.comm_null && m.Comm_test_inter(comm, &inter) == 0 && inter == 0;
}

int size_of(const Mpi& m, Word comm) {
  int size = 0;
  m.Comm_size(comm, &size);
  return size;
}

Shape grid(const Mpi& m, Word comm, int dimensions, const int* extents, const int* periodic) {
  const int cells = cells_of(dimensions, extents, size_of(m, comm));
  return {.kind = engine::Kind::cart,
          .valid = cells > 0,
          .vertices = cells,
          .dimensions = dimensions,
          .extents = extents,
          .periodic = periodic};
}

Shape graph(const Mpi& m, Word comm, int vertices, const int* index, const int* edges) {
  const bool valid = vertices > 0 && vertices <= size_of(m, comm);
  return {.kind = engine::Kind::graph, .valid = valid, .vertices = vertices, .index = index, .neighbors = edges};
}

void write_null(const Mpi& m, void* result) {
  std::memcpy(result, &m.family.comm_null, m.family.handle_bytes);
}

/// The processes in their new order; `create` then makes the result of it. Processes that play no vertex get
/// MPI_COMM_NULL.
template <class Create>
int create_in_order(const Mpi& m, Word comm, const Decision& decision, void* result, Create create) {
  Word made = 0;
  const bool plays = decision.new_rank >= 0;
  int status = calls()->Comm_split(comm, plays ? 0 : kUndefined, plays ? decision.new_rank : 0, &made);
  if (status != 0) return status;
  if (!plays) {
    write_null(m, result);
    return 0;
  }
  status = create(m.family.handle_at(&made));
  const int freed = calls()->Comm_free(&made);
  return status != 0 ? status : freed;
}

/// `create(comm, reorder)` calls MPI; `shape()` is what it says of the vertices.
template <class ShapeOf, class Create>
int create_reordered(Word comm, int reorder, void* result, const CallSite& site, ShapeOf shape, Create create) {
  const Mpi& m = *mpi();
  if (!is_intra(m, comm)) return create(comm, reorder);
  const Decision decision = decide(m, comm, reorder != 0, shape(), site);
  if (decision.status != 0) return decision.status;
  // Never MPI's own reordering: Open MPI's knows no vertices, and version 4.1 ends the job across hosts.
  if (!decision.reorder) return create(comm, 0);
  return create_in_order(m, comm, decision, result, [&](Word ordered) { return create(ordered, 0); });
}

/// The new rank of this process, as MPI_Cart_map and MPI_Graph_map tell it; `map()` calls MPI.
template <class Map>
int map_reordered(Word comm, const Shape& shape, int* new_rank, const CallSite& site, Map map) {
  if (!is_intra(*mpi(), comm)) return map();
  const Decision decision = decide(*mpi(), comm, true, shape, site);
  if (decision.status != 0) return decision.status;
  if (!decision.reorder) return map();
  *new_rank = decision.new_rank >= 0 ? decision.new_rank : kUndefined;
  return 0;
}

std::vector<engine::Edge> stated_edges(int count, const int* sources, const int* degrees, const int* destinations,
                                       const int* weights, bool& valid) {
  std::vector<engine::Edge> edges;
  std::size_t next = 0;
  valid = count >= 0;
  for (int i = 0; i < count && valid; ++i) {
    valid = degrees[i] >= 0;
    for (int k = 0; k < degrees[i]; ++k, ++next)
      edges.push_back({sources[i], destinations[next], weights == nullptr ? 1 : weights[next]});
  }
  return edges;
}

/// A process without memory for this cannot go on alone: an error that MPI's own function could have returned.
template <class Work>
int guarded(const CallSite& site, Work work) noexcept {
  constexpr int kErrorOther = 16;
  try {
    return work();
  } catch (const std::bad_alloc&) {
    complain(-1, "%s: no memory is left to reorder ranks", site.function);
    return kErrorOther;
  }
}

}  // namespace

bool wanted() noexcept {
  return settings().mode != Mode::off && mpi() != nullptr && calls() != nullptr;
}

int cart_create(Word comm, int dimensions, const int* extents, const int* periodic, int reorder, void* result,
                const CallSite& site) noexcept {
  return guarded(site, [&] {
    return create_reordered(
        comm, reorder, result, site, [&] { return grid(*mpi(), comm, dimensions, extents, periodic); },
        [&](Word group, int flag) { return calls()->Cart_create(group, dimensions, extents, periodic, flag, result); });
  });
}

int graph_create(Word comm, int vertices, const int* index, const int* edges, int reorder, void* result,
                 const CallSite& site) noexcept {
  return guarded(site, [&] {
    return create_reordered(
        comm, reorder, result, site, [&] { return graph(*mpi(), comm, vertices, index, edges); },
        [&](Word group, int flag) { return calls()->Graph_create(group, vertices, index, edges, flag, result); });
  });
}

int dist_graph_create(Word comm, int count, const int* sources, const int* degrees, const int* destinations,
                      const int* weights, Word info, int reorder, void* result, const CallSite& site) noexcept {
  return guarded(site, [&] {
    std::vector<engine::Edge> edges;
    const auto shape = [&] {
      Shape made{.kind = engine::Kind::edges, .vertices = size_of(*mpi(), comm)};
      edges = stated_edges(count, sources, degrees, destinations, numbers(*mpi(), weights), made.valid);
      made.edges = edges;
      return made;
    };
    // Edges name vertices, and any process may state any of them: they hold in the new order as they are.
    return create_reordered(comm, reorder, result, site, shape, [&](Word group, int flag) {
      return calls()->Dist_graph_create(group, count, sources, degrees, destinations, weights, info, flag, result);
    });
  });
}

int dist_graph_create_adjacent(Word comm, int in_degree, const int* sources, const int* source_weights, int out_degree,
                               const int* destinations, const int* destination_weights, Word info, int reorder,
                               void* result, const CallSite& site) noexcept {
  return guarded(site, [&] {
    const Mpi& m = *mpi();
    const auto as_it_is = [&](int flag) {
      return calls()->Dist_graph_create_adjacent(comm, in_degree, sources, source_weights, out_degree, destinations,
                                                 destination_weights, info, flag, result);
    };
    if (!is_intra(m, comm)) return as_it_is(reorder);
    int rank = 0;
    m.Comm_rank(comm, &rank);
    Shape shape{.kind = engine::Kind::edges, .valid = in_degree >= 0, .vertices = size_of(m, comm)};
    std::vector<engine::Edge> edges;
    if (shape.valid)
      edges = stated_edges(1, &rank, &out_degree, destinations, numbers(m, destination_weights), shape.valid);
    shape.edges = edges;
    const Decision decision = decide(m, comm, reorder != 0, shape, site);
    if (decision.status != 0) return decision.status;
    if (!decision.reorder) return as_it_is(0);
    const Adjacency own =
        adjacency(m, in_degree, sources, source_weights, out_degree, destinations, destination_weights);
    return create_in_order(m, comm, decision, result, [&](Word ordered) {
      Adjacency played;
      if (const int status = exchange(m, ordered, own, rank, decision.source, played); status != 0) return status;
      const bool weighted = played.weighted != 0;
      return calls()->Dist_graph_create_adjacent(
          ordered, played.in_degree, played.sources(), weighted ? played.source_weights() : source_weights,
          played.out_degree, played.destinations(), weighted ? played.destination_weights() : destination_weights, info,
          0, result);
    });
  });
}

int cart_map(Word comm, int dimensions, const int* extents, const int* periodic, int* new_rank,
             const CallSite& site) noexcept {
  return guarded(site, [&] {
    return map_reordered(comm, grid(*mpi(), comm, dimensions, extents, periodic), new_rank, site,
                         [&] { return calls()->Cart_map(comm, dimensions, extents, periodic, new_rank); });
  });
}

int graph_map(Word comm, int vertices, const int* index, const int* edges, int* new_rank,
              const CallSite& site) noexcept {
  return guarded(site, [&] {
    return map_reordered(comm, graph(*mpi(), comm, vertices, index, edges), new_rank, site,
                         [&] { return calls()->Graph_map(comm, vertices, index, edges, new_rank); });
  });
}

}  // namespace topowise::interpose::reordering
