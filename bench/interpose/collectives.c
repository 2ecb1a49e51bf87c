// SPDX-License-Identifier: BSD-3-Clause
// For collectives.sh: measures the time per MPI_Allreduce, MPI_Bcast, MPI_Reduce, MPI_Allgather, MPI_Allgatherv,
// MPI_Reduce_scatter and MPI_Reduce_scatter_block of 8 bytes a rank on the host, on MPI_COMM_SELF, and by two ranks or
// more with the suffix -world on MPI_COMM_WORLD. Batches of MPI_NAME and of PMPI_NAME, which no preloaded library sees,
// take turns. Rank 0 prints nanoseconds: the median time of a PMPI_ call, the median of what each batch of MPI_ takes
// more than the batch of PMPI_ beside it, and what the least batch of MPI_ takes more than the least one of PMPI_.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kBatches = 4000, kCalls = 20, kMostRanks = 64, kFunctions = 7 };

static int counts[kMostRanks], begins[kMostRanks];

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define CALL(PREFIX)                                                                                  \
  static void PREFIX##_call(int which, MPI_Comm comm) {                                               \
    double mine = 1, all[kMostRanks], sums[kMostRanks];                                               \
    if (which > 4)                                                                                    \
      for (int r = 0; r < kMostRanks && r < 2; ++r) all[r] = 1;                                       \
    if (which == 0) PREFIX##_Allreduce(&mine, all, 1, MPI_DOUBLE, MPI_SUM, comm);                     \
    if (which == 1) PREFIX##_Bcast(&mine, 1, MPI_DOUBLE, 0, comm);                                    \
    if (which == 2) PREFIX##_Reduce(&mine, all, 1, MPI_DOUBLE, MPI_SUM, 0, comm);                     \
    if (which == 3) PREFIX##_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, comm);               \
    if (which == 4) PREFIX##_Allgatherv(&mine, 1, MPI_DOUBLE, all, counts, begins, MPI_DOUBLE, comm); \
    if (which == 5) PREFIX##_Reduce_scatter(all, sums, counts, MPI_DOUBLE, MPI_SUM, comm);            \
    if (which == 6) PREFIX##_Reduce_scatter_block(all, sums, 1, MPI_DOUBLE, MPI_SUM, comm);           \
  }
CALL(MPI)
CALL(PMPI)

static double batch(int outer, int which, MPI_Comm comm) {
  PMPI_Barrier(comm);
  const double begin = now_ns();
  for (int i = 0; i < kCalls; ++i) (outer ? MPI_call : PMPI_call)(which, comm);
  return (now_ns() - begin) / kCalls;
}

static int ascending(const void* a, const void* b) {
  const double first = *(const double*)a, second = *(const double*)b;
  return (first > second) - (first < second);
}

static void compare(const char* name, const char* suffix, int which, MPI_Comm comm, int prints) {
  static double inner[kBatches], more[kBatches];
  double least = 1e30;  // of MPI_
  for (int i = 0; i < kBatches; ++i) {
    const int first = i % 2;  // either of the two may be the one that warms up the other
    const double one = batch(first, which, comm), two = batch(!first, which, comm);
    const double outer = first ? one : two;
    inner[i] = first ? two : one;
    more[i] = outer - inner[i];
    if (outer < least) least = outer;
  }
  qsort(inner, kBatches, sizeof *inner, ascending);
  qsort(more, kBatches, sizeof *more, ascending);
  if (prints) printf("%s%s %.1f %.1f %.1f\n", name, suffix, inner[kBatches / 2], more[kBatches / 2], least - inner[0]);
}

int main(int argc, char** argv) {
  static const char* const kNames[kFunctions] = {
      "allreduce", "bcast", "reduce", "allgather", "allgatherv", "reduce_scatter", "reduce_scatter_block"};
  int rank, size;
  for (int r = 0; r < kMostRanks; ++r) {
    counts[r] = 1;
    begins[r] = r;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int which = 0; which < kFunctions; ++which) {
    compare(kNames[which], "", which, MPI_COMM_SELF, rank == 0);
    if (size > 1 && size <= kMostRanks) compare(kNames[which], "-world", which, MPI_COMM_WORLD, rank == 0);
  }
  MPI_Finalize();
  return 0;
}
