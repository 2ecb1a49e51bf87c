/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures how long MPI's topology functions take:  creation FUNCTION REPETITIONS
 *
 * FUNCTION  dup    MPI_Comm_dup, to compare with
 *           cart   MPI_Cart_create: a torus of 2 x n/2
 *           graph  MPI_Graph_create: a ring, and vertex v talks to v + n/2
 *           weighted  the same, but the edges to v + n/2 are listed ten times, which gives them the weight ten
 *           dist   MPI_Dist_graph_create of the same edges, those to v + n/2 a hundred times as heavy
 *           adjacent  MPI_Dist_graph_create_adjacent, the same
 *
 * Prints the time of the first call, and the least and the median time of all calls, in milliseconds; the time of a
 * call is that of its slowest process. Prints the median processor time of a call: that of rank 0, which computes,
 * and that of all processes together, which includes their waiting. Prints how many processes have another rank in
 * the last communicator. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks;

static void create(const char* function, MPI_Comm* made) {
  const int neighbors[3] = {(rank + 1) % ranks, (rank + ranks - 1) % ranks, (rank + ranks / 2) % ranks};
  const int weights[3] = {1, 1, 100}, degree = 3;
  if (strcmp(function, "dup") == 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, made);
  } else if (strcmp(function, "dist") == 0) {
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, neighbors, weights, MPI_INFO_NULL, 1, made);
  } else if (strcmp(function, "adjacent") == 0) {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, neighbors, weights, degree, neighbors, weights,
                                   MPI_INFO_NULL, 1, made);
  } else if (strcmp(function, "cart") == 0) {
    const int extents[2] = {2, ranks / 2}, periodic[2] = {1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, 1, made);
  } else {
    const int times = strcmp(function, "weighted") == 0 ? 10 : 1, each = 2 + times;
    int *index = malloc((size_t)ranks * sizeof(int)), *edges = malloc((size_t)(ranks * each) * sizeof(int));
    for (int v = 0; v < ranks; ++v) {
      index[v] = each * (v + 1);
      edges[each * v] = (v + 1) % ranks;
      edges[each * v + 1] = (v + ranks - 1) % ranks;
      for (int i = 0; i < times; ++i) edges[each * v + 2 + i] = (v + ranks / 2) % ranks;
    }
    MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 1, made);
    free(index);
    free(edges);
  }
}

static double processor(void) {
  struct timespec spent;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double one = *(const double*)a, other = *(const double*)b;
  return (one > other) - (one < other);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  const int repetitions = count > 2 ? atoi(words[2]) : 10;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double* times = malloc(3 * (size_t)repetitions * sizeof(double));
  double *own = times + repetitions, *all = own + repetitions;
  int moved = 0;
  for (int i = 0; i < repetitions; ++i) {
    MPI_Comm made;
    MPI_Barrier(MPI_COMM_WORLD);
    double spent = -MPI_Wtime(), busy = -processor();
    create(count > 1 ? words[1] : "graph", &made);
    spent += MPI_Wtime();
    own[i] = busy += processor();
    MPI_Reduce(&busy, &all[i], 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&spent, &times[i], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    int new_rank = MPI_UNDEFINED;
    if (made != MPI_COMM_NULL) {
      MPI_Comm_rank(made, &new_rank);
      MPI_Comm_free(&made);
    }
    const int other = new_rank != rank;
    MPI_Reduce(&other, &moved, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    const double first = times[0];
    for (int i = 0; i < 3; ++i) qsort(times + i * repetitions, (size_t)repetitions, sizeof(double), compare);
    printf("first %.2f least %.2f middle %.2f own %.2f all %.2f moved %d\n", 1e3 * first, 1e3 * times[0],
           1e3 * times[repetitions / 2], 1e3 * own[repetitions / 2], 1e3 * all[repetitions / 2], moved);
  }
  free(times);
  MPI_Finalize();
  return 0;
}
