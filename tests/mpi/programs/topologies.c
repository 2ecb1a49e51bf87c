/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a communicator with a virtual topology, checks that everything that MPI says about it fits the new ranks, and
 * prints which rank plays which vertex:  topologies FUNCTION [REORDER [SKIP]]
 *
 * FUNCTION  cart        a periodic grid of 2 x n/2 with its long axis first: rank r talks to r +- 2
 *           graph       rank r talks to r + n/2 and back
 *           dist        the same, but rank r states the edges of vertex n - 1 - r; weighted
 *           adjacent    the same, but each rank states its own edges; unweighted
 *           weighted    the same as adjacent with weights, and light edges around a ring
 * REORDER   0 or 1 (default)
 * SKIP      so many ranks play no vertex (cart, graph)
 *
 * Prints for every vertex "VERTEX OLD_RANK HOST", or "none OLD_RANK HOST" for a rank that plays no vertex. The exit
 * status is 1 if anything is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures = 0;

static void check(int good, const char* what, int rank) {
  if (good) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  ++failures;
}

/* In- and out-neighbours are the same set in all these topologies. */
static int neighbours(const char* function, int vertex, int n, int* out, int* weights) {
  const int half = n / 2;
  if (strcmp(function, "cart") == 0) {
    /* Extents n/2, 2: the neighbours are -+2 along the first axis, and twice the other cell along the second. */
    out[0] = (vertex + n - 2) % n;
    out[1] = (vertex + 2) % n;
    out[2] = out[3] = vertex ^ 1;
    return 4;
  }
  out[0] = (vertex + half) % n;
  weights[0] = 1000;
  if (strcmp(function, "weighted") != 0) return 1;
  out[1] = (vertex + 1) % n;
  out[2] = (vertex + n - 1) % n;
  weights[1] = weights[2] = 1;
  return 3;
}

static MPI_Comm create(const char* function, int reorder, int n) {
  MPI_Comm made = MPI_COMM_NULL;
  int rank, ranks, list[4], weights[4];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(function, "cart") == 0) {
    const int extents[2] = {n / 2, 2}, periodic[2] = {1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, reorder, &made);
  } else if (strcmp(function, "graph") == 0) {
    int* index = malloc((size_t)n * sizeof(int));
    int* edges = malloc((size_t)n * sizeof(int));
    for (int v = 0; v < n; ++v) {
      neighbours(function, v, n, edges + v, weights);
      index[v] = v + 1;
    }
    MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, reorder, &made);
    free(index);
    free(edges);
  } else if (strcmp(function, "dist") == 0) {
    const int vertex = n - 1 - rank, degree = neighbours(function, vertex, n, list, weights);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &vertex, &degree, list, weights, MPI_INFO_NULL, reorder, &made);
  } else {
    const int weighted = strcmp(function, "weighted") == 0, degree = neighbours(function, rank, n, list, weights);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, list, weighted ? weights : MPI_UNWEIGHTED, degree, list,
                                   weighted ? weights : MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &made);
  }
  return made;
}

/* Checks what MPI says of the vertex that this process plays. */
static void check_neighbours(const char* function, MPI_Comm comm, int vertex, int n) {
  int expected[4], weights[4], in[4], out[4], in_weights[4], out_weights[4], in_degree = 0, out_degree = 0,
                                                                             weighted = 0;
  const int degree = neighbours(function, vertex, n, expected, weights);
  if (strcmp(function, "cart") == 0) {
    int coordinates[2], back = -1;
    MPI_Cart_coords(comm, vertex, 2, coordinates);
    MPI_Cart_rank(comm, coordinates, &back);
    check(coordinates[0] == vertex / 2 && coordinates[1] == vertex % 2 && back == vertex, "coordinates", vertex);
    for (int axis = 0; axis < 2; ++axis) {
      MPI_Cart_shift(comm, axis, 1, in, out);
      check(in[0] == expected[2 * axis] && out[0] == expected[2 * axis + 1], "MPI_Cart_shift", vertex);
    }
    MPI_Comm row;
    const int keep[2] = {0, 1};
    MPI_Cart_sub(comm, keep, &row);
    int place, members;
    MPI_Comm_rank(row, &place);
    MPI_Comm_size(row, &members);
    check(place == vertex % 2 && members == 2, "MPI_Cart_sub", vertex);
    MPI_Comm_free(&row);
  } else if (strcmp(function, "graph") == 0) {
    MPI_Graph_neighbors_count(comm, vertex, &out_degree);
    MPI_Graph_neighbors(comm, vertex, 4, out);
    check(out_degree == degree && out[0] == expected[0], "MPI_Graph_neighbors", vertex);
  } else {
    MPI_Dist_graph_neighbors_count(comm, &in_degree, &out_degree, &weighted);
    check(in_degree == degree && out_degree == degree, "degrees", vertex);
    check(weighted == (strcmp(function, "adjacent") != 0), "whether weighted", vertex);
    MPI_Dist_graph_neighbors(comm, 4, in, in_weights, 4, out, out_weights);
    for (int i = 0; i < degree; ++i) {
      check(in[i] == expected[i] && out[i] == expected[i], "MPI_Dist_graph_neighbors", vertex);
      if (weighted) check(in_weights[i] == weights[i] && out_weights[i] == weights[i], "weights", vertex);
    }
  }
}

/* Checks that neighbourhood collectives reach the ranks that the topology names. */
static void check_collectives(const char* function, MPI_Comm comm, int vertex, int n) {
  int expected[4], weights[4], sent[4], received[4] = {-1, -1, -1, -1};
  const int degree = neighbours(function, vertex, n, expected, weights);
  MPI_Neighbor_allgather(&vertex, 1, MPI_INT, received, 1, MPI_INT, comm);
  for (int i = 0; i < degree; ++i) check(received[i] == expected[i], "MPI_Neighbor_allgather", vertex);
  for (int i = 0; i < degree; ++i) {
    sent[i] = 100 * vertex + expected[i];
    received[i] = -1;
  }
  MPI_Request request;
  MPI_Ineighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < degree; ++i) check(received[i] == 100 * expected[i] + vertex, "MPI_Ineighbor_alltoall", vertex);
}

static void print(MPI_Comm comm, int vertex, int old_rank) {
  char line[96], host[64] = "";
  int ranks;
  MPI_Comm_size(comm, &ranks);
  gethostname(host, sizeof(host) - 1);
  if (vertex >= 0)
    snprintf(line, sizeof(line), "%d %d %s", vertex, old_rank, host);
  else
    snprintf(line, sizeof(line), "none %d %s", old_rank, host);
  char* all = malloc((size_t)ranks * sizeof(line));
  MPI_Gather(line, sizeof(line), MPI_CHAR, all, sizeof(line), MPI_CHAR, 0, comm);
  if (old_rank == 0)
    for (int i = 0; i < ranks; ++i) puts(all + (size_t)i * sizeof(line));
  free(all);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  const char* function = count > 1 ? words[1] : "cart";
  const int reorder = count > 2 ? atoi(words[2]) : 1, skip = count > 3 ? atoi(words[3]) : 0;
  int old_rank, ranks, vertex = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &old_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int n = ranks - skip;
  MPI_Comm comm = create(function, reorder, n);
  if (comm != MPI_COMM_NULL) {
    int size;
    MPI_Comm_rank(comm, &vertex);
    MPI_Comm_size(comm, &size);
    check(size == n, "size of the communicator", vertex);
    check_neighbours(function, comm, vertex, n);
    check_collectives(function, comm, vertex, n);
    MPI_Comm copy;
    MPI_Comm_dup(comm, &copy);
    check_neighbours(function, copy, vertex, n);
    MPI_Comm_free(&copy);
  }
  print(MPI_COMM_WORLD, vertex, old_rank);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
