/* SPDX-License-Identifier: BSD-3-Clause */
/* What topology_corners counts, and asks of communicators. */
#pragma once

#include <mpi.h>
#include <stdio.h>

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
