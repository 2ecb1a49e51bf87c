/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbours of a virtual topology exchange blocks:  neighbor_exchange FUNCTION BYTES TIMES
 *
 * FUNCTION  cart      a grid of n/2 x 2
 *           graph     vertex v and v + n/2
 *           dist      the same, with weights
 *           adjacent  the same, without
 *
 * Prints "neighbourhood MS by-rank MS": the median time of one exchange, by MPI_Neighbor_alltoall and by messages to
 * the ranks that the topology names. Exit status 1 if a block comes from a wrong rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 4 };

static MPI_Comm create(const char* function, int rank, int ranks) {
  MPI_Comm made;
  const int partner = (rank + ranks / 2) % ranks, one = 1;
  if (strcmp(function, "cart") == 0) {
    const int extents[2] = {ranks / 2, 2}, periodic[2] = {0, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, 1, &made);
  } else if (strcmp(function, "dist") == 0) {
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &partner, &one, MPI_INFO_NULL, 1, &made);
  } else if (strcmp(function, "adjacent") == 0) {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &partner, MPI_UNWEIGHTED, 1, &partner, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 1, &made);
  } else {
    int *index = malloc((size_t)ranks * sizeof(int)), *edges = malloc((size_t)ranks * sizeof(int));
    for (int v = 0; v < ranks; ++v) {
      index[v] = v + 1;
      edges[v] = (v + ranks / 2) % ranks;
    }
    MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 1, &made);
    free(index);
    free(edges);
  }
  return made;
}

/* The ranks that the neighbourhood collectives reach, in their order. */
static int neighbors_of(MPI_Comm comm, int* neighbors) {
  int kind, vertex, count = 0, ignored;
  MPI_Comm_rank(comm, &vertex);
  MPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    for (int axis = 0; axis < 2; ++axis, count += 2)
      MPI_Cart_shift(comm, axis, 1, neighbors + count, neighbors + count + 1);
  } else if (kind == MPI_GRAPH) {
    MPI_Graph_neighbors_count(comm, vertex, &count);
    MPI_Graph_neighbors(comm, vertex, count, neighbors);
  } else {
    int sources[kMost], in[kMost], out[kMost];
    MPI_Dist_graph_neighbors_count(comm, &count, &count, &ignored);
    MPI_Dist_graph_neighbors(comm, count, sources, in, count, neighbors, out);
  }
  return count;
}

static void by_rank(char* sent, char* got, int bytes, MPI_Comm comm, const int* neighbors, int count) {
  MPI_Request requests[2 * kMost];
  for (int i = 0; i < count; ++i) {
    MPI_Irecv(got + (size_t)i * bytes, bytes, MPI_BYTE, neighbors[i], 0, comm, &requests[2 * i]);
    MPI_Isend(sent + (size_t)i * bytes, bytes, MPI_BYTE, neighbors[i], 0, comm, &requests[2 * i + 1]);
  }
  MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);
}

static int compare(const void* a, const void* b) {
  const double one = *(const double*)a, other = *(const double*)b;
  return (one > other) - (one < other);
}

int main(int argument_count, char** words) {
  MPI_Init(&argument_count, &words);
  if (argument_count != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(words[2]), times = atoi(words[3]);
  int rank, ranks, vertex, neighbors[kMost], wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm comm = create(words[1], rank, ranks);
  MPI_Comm_rank(comm, &vertex);
  const int count = neighbors_of(comm, neighbors);
  char *sent = malloc((size_t)kMost * bytes), *got = malloc((size_t)kMost * bytes);
  double* spent[2] = {malloc((size_t)(times + 1) * sizeof(double)), malloc((size_t)(times + 1) * sizeof(double))};
  memset(sent, vertex, (size_t)kMost * bytes);
  for (int i = 0; i <= 2 * times + 1; ++i) {
    memset(got, -1, (size_t)kMost * bytes);
    MPI_Barrier(comm);
    double time = -MPI_Wtime();
    if (i % 2 == 0)
      MPI_Neighbor_alltoall(sent, bytes, MPI_BYTE, got, bytes, MPI_BYTE, comm);
    else
      by_rank(sent, got, bytes, comm, neighbors, count);
    time += MPI_Wtime();
    MPI_Allreduce(&time, &spent[i % 2][i / 2], 1, MPI_DOUBLE, MPI_MAX, comm);
    for (int k = 0; k < count && bytes > 0; ++k)
      wrong += neighbors[k] != MPI_PROC_NULL &&
               (got[(size_t)k * bytes] != neighbors[k] || got[(size_t)(k + 1) * bytes - 1] != neighbors[k]);
  }
  for (int way = 0; way < 2; ++way) qsort(spent[way], (size_t)times + 1, sizeof(double), compare);
  if (vertex == 0) printf("neighbourhood %.2f by-rank %.2f\n", 1e3 * spent[0][times / 2], 1e3 * spent[1][times / 2]);
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return all != 0;
}
