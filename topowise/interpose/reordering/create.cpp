// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/create.hpp>

#include <cstring>
#include <new>

#include <topowise/interpose/base/life.hpp>
#include <topowise/interpose/reordering/adjacency.hpp>
#include <topowise/interpose/reordering/calls.hpp>
#include <topowise/interpose/reordering/job_members.hpp>
#include <topowise/interpose/reordering/recorded_ranks.hpp>
#include <topowise/interpose/reordering/settings.hpp>
#include <topowise/interpose/reordering/watch.hpp>

namespace topowise::interpose::reordering {
namespace {

/// Whether the processes of a communicator can decide together. All of them come to the same answer.
bool can_decide(const Mpi& m, Word comm, const CallSite& site) {
  int inter = 1;
  return m.family.handle(comm) != m.family.comm_null && m.Comm_test_inter(comm, &inter) == 0 && inter == 0 &&
         all_of_this_job(m, comm, site);
}

int size_of(const Mpi& m, Word comm) {
  int size = 0;
  m.Comm_size(comm, &size);
  return size;
}

void write_null(const Mpi& m, void* result) {
  std::memcpy(result, &m.family.comm_null, m.family.handle_bytes);
}

/// Puts the processes in their new order; `create` then makes the result of it. Processes that play no vertex get
/// MPI_COMM_NULL.
template <class Create>
int create_in_order(const Mpi& m, Word comm, const Decision& decision, const Shape& shape, void* result,
                    const CallSite& site, Create create) {
  Word made = 0;
  const bool plays = decision.new_rank >= 0;
  int status = calls()->Comm_split(comm, plays ? 0 : kUndefined, plays ? decision.new_rank : 0, &made);
  if (status != 0) return status;
  if (!plays) {
    write_null(m, result);
    return 0;
  }
  ranks_reordered();
  status = create(m.family.handle_at(&made));
  const int freed = calls()->Comm_free(&made);
  if (status == 0 && settings().profile != nullptr) set_recorded_rank(m.family.handle_at(result), decision.recorded);
  if (decision.watch && status == 0) {
    int old_rank = 0;
    m.Comm_rank(comm, &old_rank);
    watch(comm, m.family.handle_at(result), old_rank, shape, site);
  }
  return status != 0 ? status : freed;
}

/// Makes the result in the order of the old communicator.
template <class Create>
int create_as_it_is(const Mpi& m, Word comm, void* result, Create create) {
  const int status = create();
  if (status == 0) made_of(c::comm(comm), m.family.handle_at(result));
  return status;
}

/// What the call says of the vertices, as far as there is memory to look at it.
template <class Look>
Shape shape_of(Look look) {
  try {
    return look();
  } catch (const std::bad_alloc&) {
    return {.lacks = true};
  }
}

/// `create(comm, reorder)` calls MPI; `shape(processes)` is what the call says of the vertices.
template <class ShapeOf, class Create>
int create_reordered(Word comm, int reorder, void* result, const CallSite& site, ShapeOf shape, Create create) {
  const Mpi& m = *mpi();
  if (!can_decide(m, comm, site)) return create(comm, reorder);
  const Shape said = shape_of([&] { return shape(size_of(m, comm)); });
  const Decision decision = decide(m, comm, reorder != 0, said, site);
  if (decision.status != 0) {
    write_null(m, result);
    return decision.status;
  }
  // MPI reorders by itself only where the call is left to it: Open MPI's reordering knows no vertices, and in version
  // 4.1 it ends the job across hosts.
  if (!decision.reorder)
    return create_as_it_is(m, comm, result, [&] { return create(comm, decision.leave ? reorder : 0); });
  return create_in_order(m, comm, decision, said, result, site, [&](Word ordered) { return create(ordered, 0); });
}

/// The new rank of this process, as MPI_Cart_map and MPI_Graph_map give it; `map()` calls MPI. (Open MPI tells the
/// processes that are left over their old ranks.)
template <class ShapeOf, class Map>
int map_reordered(Word comm, ShapeOf shape, int* new_rank, const CallSite& site, Map map) {
  const Mpi& m = *mpi();
  if (!can_decide(m, comm, site)) return map();
  const Shape said = shape_of([&] { return shape(size_of(m, comm)); });
  const Decision decision = decide(m, comm, true, said, site);
  if (decision.status != 0) return decision.status;
  if (decision.leave || !said.valid) return map();
  int rank = 0;
  m.Comm_rank(comm, &rank);
  const int vertex = decision.reorder ? decision.new_rank : rank;
  *new_rank = vertex >= 0 && vertex < said.vertices ? vertex : kUndefined;
  return 0;
}

/// Runs `work`. The others already wait for a process without memory for it.
template <class Work>
int guarded(Word comm, const CallSite& site, Work work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail_without_memory(*mpi(), comm, site);
  }
}

}  // namespace

int cart_create(Word comm, int dimensions, const int* extents, const int* periodic, int reorder, void* result,
                const CallSite& site) noexcept {
  return guarded(comm, site, [&] {
    return create_reordered(
        comm, reorder, result, site, [&](int processes) { return grid(processes, dimensions, extents, periodic); },
        [&](Word group, int flag) { return calls()->Cart_create(group, dimensions, extents, periodic, flag, result); });
  });
}

int graph_create(Word comm, int vertices, const int* index, const int* edges, int reorder, void* result,
                 const CallSite& site) noexcept {
  return guarded(comm, site, [&] {
    return create_reordered(
        comm, reorder, result, site, [&](int processes) { return graph(processes, vertices, index, edges); },
        [&](Word group, int flag) { return calls()->Graph_create(group, vertices, index, edges, flag, result); });
  });
}

int dist_graph_create(Word comm, int count, const int* sources, const int* degrees, const int* destinations,
                      const int* weights, Word info, int reorder, void* result, const CallSite& site) noexcept {
  return guarded(comm, site, [&] {
    const auto shape = [&](int processes) {
      return stated_edges(*mpi(), processes, count, sources, degrees, destinations, weights);
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
  return guarded(comm, site, [&] {
    const Mpi& m = *mpi();
    const auto as_it_is = [&](int flag) {
      return calls()->Dist_graph_create_adjacent(comm, in_degree, sources, source_weights, out_degree, destinations,
                                                 destination_weights, info, flag, result);
    };
    if (!can_decide(m, comm, site)) return as_it_is(reorder);
    int rank = 0;
    m.Comm_rank(comm, &rank);
    Adjacency own;  // made before the others rely on it
    const Shape shape = shape_of([&] {
      Shape said = own_edges(m, size_of(m, comm), rank, {in_degree, sources, source_weights},
                             {out_degree, destinations, destination_weights});
      if (said.valid)
        own = adjacency(m, in_degree, sources, source_weights, out_degree, destinations, destination_weights);
      return said;
    });
    const Decision decision = decide(m, comm, reorder != 0, shape, site);
    if (decision.status != 0) {
      write_null(m, result);
      return decision.status;
    }
    if (!decision.reorder)
      return create_as_it_is(m, comm, result, [&] { return as_it_is(decision.leave ? reorder : 0); });
    return create_in_order(m, comm, decision, shape, result, site, [&](Word ordered) {
      Adjacency played;
      if (const int status = exchange(m, ordered, own, rank, decision.source, played); status != 0) return status;
      const bool weighted = played.weighted != 0;
      return calls()->Dist_graph_create_adjacent(
          ordered, played.in_degree, played.sources(), weighted ? played.source_weights() : m.family.unweighted,
          played.out_degree, played.destinations(), weighted ? played.destination_weights() : m.family.unweighted, info,
          0, result);
    });
  });
}

int cart_map(Word comm, int dimensions, const int* extents, const int* periodic, int* new_rank,
             const CallSite& site) noexcept {
  return guarded(comm, site, [&] {
    return map_reordered(
        comm, [&](int processes) { return grid(processes, dimensions, extents, periodic); }, new_rank, site,
        [&] { return calls()->Cart_map(comm, dimensions, extents, periodic, new_rank); });
  });
}

int graph_map(Word comm, int vertices, const int* index, const int* edges, int* new_rank,
              const CallSite& site) noexcept {
  return guarded(comm, site, [&] {
    return map_reordered(
        comm, [&](int processes) { return graph(processes, vertices, index, edges); }, new_rank, site,
        [&] { return calls()->Graph_map(comm, vertices, index, edges, new_rank); });
  });
}

}  // namespace topowise::interpose::reordering
