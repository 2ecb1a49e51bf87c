/* SPDX-License-Identifier: BSD-3-Clause */
/* What topology_corners and topology_jobs count, ask of communicators, and make of them. */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int failures = 0, moved = 0, rank, ranks;

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  ++failures;
}

static int size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

static int rank_in(MPI_Comm comm) {
  int own;
  MPI_Comm_rank(comm, &own);
  return own;
}

static int partner_of(int vertex, int n) {
  return (vertex + n / 2) % n;
}

/* A graph of partners, made with reorder = true. */
static MPI_Comm graph_pairs(MPI_Comm comm) {
  MPI_Comm made;
  const int n = size_of(comm);
  int *index = malloc((size_t)n * sizeof(int)), *edges = malloc((size_t)n * sizeof(int));
  for (int v = 0; v < n; ++v) {
    index[v] = v + 1;
    edges[v] = partner_of(v, n);
  }
  MPI_Graph_create(comm, n, index, edges, 1, &made);
  free(index);
  free(edges);
  return made;
}
