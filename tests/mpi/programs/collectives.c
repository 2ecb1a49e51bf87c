// SPDX-License-Identifier: BSD-3-Clause
// One collective operation, named on the command line, with parts of 100 bytes, on a communicator in reversed order:
//   collectives OPERATION
// Member m of the communicator is world rank n - 1 - m. The forms are: name, iname (nonblocking), name_init
// (persistent, started twice), name_in_place.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kPart = 100, kRoot = 1 };

static int rank, ranks;
static char *out, *in;
static int *counts, *displacements, *other_counts, *other_displacements;
static MPI_Datatype* types;
static MPI_Comm comm;
static MPI_Request request = MPI_REQUEST_NULL;

#define REDUCE MPI_BYTE, MPI_BOR

static int is(const char* name, const char* wanted) {
  return strcmp(name, wanted) == 0;
}

static void with_root(const char* name) {
  if (is(name, "bcast")) MPI_Bcast(out, kPart, MPI_BYTE, kRoot, comm);
  if (is(name, "ibcast")) MPI_Ibcast(out, kPart, MPI_BYTE, kRoot, comm, &request);
  if (is(name, "gather")) MPI_Gather(out, kPart, MPI_BYTE, in, kPart, MPI_BYTE, kRoot, comm);
  if (is(name, "gather_in_place"))
    MPI_Gather(rank == kRoot ? MPI_IN_PLACE : out, kPart, MPI_BYTE, in, kPart, MPI_BYTE, kRoot, comm);
  if (is(name, "gatherv")) MPI_Gatherv(out, counts[rank], MPI_BYTE, in, counts, displacements, MPI_BYTE, kRoot, comm);
  if (is(name, "scatter")) MPI_Scatter(out, kPart, MPI_BYTE, in, kPart, MPI_BYTE, kRoot, comm);
  if (is(name, "scatterv")) MPI_Scatterv(out, counts, displacements, MPI_BYTE, in, counts[rank], MPI_BYTE, kRoot, comm);
  if (is(name, "reduce")) MPI_Reduce(out, in, kPart, REDUCE, kRoot, comm);
  if (is(name, "ireduce")) MPI_Ireduce(out, in, kPart, REDUCE, kRoot, comm, &request);
}

static void among_all(const char* name) {
  if (is(name, "barrier")) MPI_Barrier(comm);
  if (is(name, "allgather")) MPI_Allgather(out, kPart, MPI_BYTE, in, kPart, MPI_BYTE, comm);
  if (is(name, "allgatherv")) MPI_Allgatherv(out, counts[rank], MPI_BYTE, in, counts, displacements, MPI_BYTE, comm);
  if (is(name, "alltoall")) MPI_Alltoall(out, kPart, MPI_BYTE, in, kPart, MPI_BYTE, comm);
  if (is(name, "alltoall_in_place")) MPI_Alltoall(MPI_IN_PLACE, 0, MPI_BYTE, in, kPart, MPI_BYTE, comm);
  if (is(name, "alltoallv"))
    MPI_Alltoallv(out, counts, displacements, MPI_BYTE, in, other_counts, other_displacements, MPI_BYTE, comm);
  if (is(name, "ialltoallw"))
    MPI_Ialltoallw(out, counts, displacements, types, in, other_counts, other_displacements, types, comm, &request);
  if (is(name, "allreduce")) MPI_Allreduce(out, in, kPart, REDUCE, comm);
  if (is(name, "allreduce_in_place")) MPI_Allreduce(MPI_IN_PLACE, in, kPart, REDUCE, comm);
  if (is(name, "reduce_scatter")) MPI_Reduce_scatter(out, in, counts, REDUCE, comm);
  if (is(name, "reduce_scatter_block")) MPI_Reduce_scatter_block(out, in, kPart, REDUCE, comm);
  if (is(name, "scan")) MPI_Scan(out, in, kPart, REDUCE, comm);
  if (is(name, "exscan")) MPI_Exscan(out, in, kPart, REDUCE, comm);
#if MPI_VERSION >= 4
  if (is(name, "allreduce_c")) MPI_Allreduce_c(out, in, kPart, REDUCE, comm);
  if (is(name, "bcast_init")) {
    MPI_Bcast_init(out, kPart, MPI_BYTE, kRoot, comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; ++i) MPI_Start(&request), MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
#endif
}

/// Members on a periodic line: the neighbours of member m are m - 1 and m + 1. Also a directed graph: m -> m + 1 only.
static void among_neighbors(const char* name) {
  MPI_Comm line, graph;
  const int periodic = 1, next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  const int two_counts[] = {kPart, 2 * kPart}, two_other_counts[] = {2 * kPart, kPart};
  const int two_displacements[] = {0, 4 * kPart};
  const MPI_Aint far[] = {0, 4 * kPart};
  const MPI_Datatype bytes[] = {MPI_BYTE, MPI_BYTE};
  MPI_Cart_create(comm, 1, &ranks, &periodic, 0, &line);
  MPI_Dist_graph_create_adjacent(comm, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &graph);
  if (is(name, "neighbor_allgather")) MPI_Neighbor_allgather(out, kPart, MPI_BYTE, in, kPart, MPI_BYTE, line);
  if (is(name, "neighbor_alltoall")) MPI_Neighbor_alltoall(out, kPart, MPI_BYTE, in, kPart, MPI_BYTE, line);
  if (is(name, "ineighbor_alltoall")) MPI_Ineighbor_alltoall(out, kPart, MPI_BYTE, in, kPart, MPI_BYTE, line, &request);
  if (is(name, "neighbor_alltoallv"))
    MPI_Neighbor_alltoallv(out, two_counts, two_displacements, MPI_BYTE, in, two_other_counts, two_displacements,
                           MPI_BYTE, line);
  if (is(name, "neighbor_alltoallw"))
    MPI_Neighbor_alltoallw(out, two_counts, far, bytes, in, two_other_counts, far, bytes, line);
  if (is(name, "neighbor_alltoall_graph")) MPI_Neighbor_alltoall(out, kPart, MPI_BYTE, in, kPart, MPI_BYTE, graph);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&line);
  MPI_Comm_free(&graph);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int world_rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const size_t space = (size_t)kPart * (size_t)(ranks + 1) * (size_t)(ranks + 1);
  out = calloc(1, space);
  in = calloc(1, space);
  counts = calloc((size_t)ranks, sizeof(int));
  displacements = calloc((size_t)ranks, sizeof(int));
  other_counts = calloc((size_t)ranks, sizeof(int));
  other_displacements = calloc((size_t)ranks, sizeof(int));
  types = calloc((size_t)ranks, sizeof(MPI_Datatype));
  for (int member = 0; member < ranks; ++member) {
    counts[member] = kPart * member;  // nothing for member 0
    displacements[member] = kPart * ranks * member;
    other_counts[member] = kPart * rank;
    other_displacements[member] = kPart * ranks * member;
    types[member] = MPI_BYTE;
  }
  for (int i = 1; i < argc; ++i) {
    with_root(argv[i]);
    among_all(argv[i]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (strstr(argv[i], "neighbor") != NULL) among_neighbors(argv[i]);
  }
  free(out);
  free(in);
  free(counts);
  free(displacements);
  free(other_counts);
  free(other_displacements);
  free(types);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
