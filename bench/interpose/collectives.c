// SPDX-License-Identifier: BSD-3-Clause
// For collectives.sh: measures the time per MPI_Bcast, MPI_Reduce, MPI_Allgather, MPI_Allgatherv, MPI_Reduce_scatter
// and MPI_Reduce_scatter_block of 8 bytes a rank on the host. The difference of two runs shows what `topowise run
// --collectives-on-gpu` adds to calls that the MPI library still carries out. They are made on MPI_COMM_SELF, and by
// two ranks or more with the suffix -world on MPI_COMM_WORLD, with a barrier between batches. Each time is the least of
// many short batches. Rank 0 prints nanoseconds.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { kBatches = 4000, kCalls = 20, kMostRanks = 64 };

static int counts[kMostRanks], begins[kMostRanks];

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void call(int which, MPI_Comm comm) {
  double mine = 1, all[kMostRanks], sums[kMostRanks];
  if (which > 3)
    for (int r = 0; r < kMostRanks && r < 2; ++r) all[r] = 1;
  if (which == 0) MPI_Bcast(&mine, 1, MPI_DOUBLE, 0, comm);
  if (which == 1) MPI_Reduce(&mine, all, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
  if (which == 2) MPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, comm);
  if (which == 3) MPI_Allgatherv(&mine, 1, MPI_DOUBLE, all, counts, begins, MPI_DOUBLE, comm);
  if (which == 4) MPI_Reduce_scatter(all, sums, counts, MPI_DOUBLE, MPI_SUM, comm);
  if (which == 5) MPI_Reduce_scatter_block(all, sums, 1, MPI_DOUBLE, MPI_SUM, comm);
}

static double least(int which, MPI_Comm comm) {
  double best = 1e30;
  for (int batch = 0; batch < kBatches; ++batch) {
    MPI_Barrier(comm);
    const double begin = now_ns();
    for (int i = 0; i < kCalls; ++i) call(which, comm);
    const double time = (now_ns() - begin) / kCalls;
    if (time < best) best = time;
  }
  return best;
}

int main(int argc, char** argv) {
  static const char* const kNames[] = {"bcast",      "reduce",         "allgather",
                                       "allgatherv", "reduce_scatter", "reduce_scatter_block"};
  int rank, size;
  for (int r = 0; r < kMostRanks; ++r) {
    counts[r] = 1;
    begins[r] = r;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int which = 0; which < 6; ++which) {
    const double self = least(which, MPI_COMM_SELF);
    const double world = size > 1 && size <= kMostRanks ? least(which, MPI_COMM_WORLD) : 0;
    if (rank == 0) printf("%s %.1f\n", kNames[which], self);
    if (rank == 0 && world > 0) printf("%s-world %.1f\n", kNames[which], world);
  }
  MPI_Finalize();
  return 0;
}
