// SPDX-License-Identifier: BSD-3-Clause
// Calls one collective operation again and again, with numbers of 8 bytes:  equal_parts OPERATION BYTES CALLS
// BYTES is the part of one member, or the whole vector. The root is rank 1. With an unknown operation, the program
// calls nothing.
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

enum { kRoot = 1 };

static int ranks, count;
static double *out, *in;
static int *counts, *offsets, *byte_offsets;
static MPI_Datatype* types;
static MPI_Comm world, line;

static int is(const char* name, const char* wanted) {
  return strcmp(name, wanted) == 0;
}

static void call(const char* name) {
  if (is(name, "barrier")) MPI_Barrier(world);
  if (is(name, "bcast")) MPI_Bcast(out, count, MPI_DOUBLE, kRoot, world);
  if (is(name, "reduce")) MPI_Reduce(out, in, count, MPI_DOUBLE, MPI_SUM, kRoot, world);
  if (is(name, "allreduce")) MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, world);
  if (is(name, "gather")) MPI_Gather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, kRoot, world);
  if (is(name, "gatherv")) MPI_Gatherv(out, count, MPI_DOUBLE, in, counts, offsets, MPI_DOUBLE, kRoot, world);
  if (is(name, "scatter")) MPI_Scatter(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, kRoot, world);
  if (is(name, "allgather")) MPI_Allgather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, world);
  if (is(name, "alltoall")) MPI_Alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, world);
  if (is(name, "alltoallv")) MPI_Alltoallv(out, counts, offsets, MPI_DOUBLE, in, counts, offsets, MPI_DOUBLE, world);
  if (is(name, "alltoallw")) MPI_Alltoallw(out, counts, byte_offsets, types, in, counts, byte_offsets, types, world);
  if (is(name, "reduce_scatter")) MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, world);
  if (is(name, "reduce_scatter_block")) MPI_Reduce_scatter_block(out, in, count, MPI_DOUBLE, MPI_SUM, world);
  if (is(name, "scan")) MPI_Scan(out, in, count, MPI_DOUBLE, MPI_SUM, world);
  if (is(name, "neighbor_alltoall")) MPI_Neighbor_alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, line);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int calls = atoi(argv[3]), periodic = 1;
  world = MPI_COMM_WORLD;
  MPI_Comm_size(world, &ranks);
  count = atoi(argv[2]) / (int)sizeof(double);
  out = calloc((size_t)(count + 1) * (size_t)ranks, sizeof(double));
  in = calloc((size_t)(count + 1) * (size_t)ranks, sizeof(double));
  counts = malloc((size_t)ranks * sizeof(int));
  offsets = malloc((size_t)ranks * sizeof(int));
  byte_offsets = malloc((size_t)ranks * sizeof(int));
  types = malloc((size_t)ranks * sizeof(MPI_Datatype));
  for (int rank = 0; rank < ranks; ++rank) {
    counts[rank] = count;
    offsets[rank] = rank * count;
    byte_offsets[rank] = offsets[rank] * (int)sizeof(double);
    types[rank] = MPI_DOUBLE;
  }
  MPI_Cart_create(world, 1, &ranks, &periodic, 0, &line);
  for (int i = 0; i < calls; ++i) call(argv[1]);
  MPI_Comm_free(&line);
  free(out);
  free(in);
  free(counts);
  free(offsets);
  free(byte_offsets);
  free(types);
  MPI_Finalize();
  return 0;
}
