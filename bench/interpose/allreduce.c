// SPDX-License-Identifier: BSD-3-Clause
// Time per MPI_Allreduce of 8 bytes on the host, and per MPI_Wait of a null request, for allreduce.sh: what
// `topowise run --allreduce` adds to calls that stay the MPI library's shows as the difference of two runs.
//
//   self   on MPI_COMM_SELF
//   world  on MPI_COMM_WORLD
//   wait   MPI_Wait of MPI_REQUEST_NULL
//
// From the stack, and with the suffix -heap from memory that has been allocated. Each is the least of many short
// batches: on a loaded machine everything else only adds. Rank 0 prints nanoseconds.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kBatches = 8000, kCalls = 20 };

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double least_reduce(MPI_Comm comm, double* mine, double* sum, int batches) {
  double best = 1e30;
  for (int batch = 0; batch < batches; ++batch) {
    const double begin = now_ns();
    for (int i = 0; i < kCalls; ++i) MPI_Allreduce(mine, sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    const double time = (now_ns() - begin) / kCalls;
    if (time < best) best = time;
  }
  return best;
}

static double least_wait(void) {
  double best = 1e30;
  for (int batch = 0; batch < kBatches; ++batch) {
    MPI_Request request = MPI_REQUEST_NULL;
    const double begin = now_ns();
    for (int i = 0; i < kCalls; ++i) MPI_Wait(&request, MPI_STATUS_IGNORE);
    const double time = (now_ns() - begin) / kCalls;
    if (time < best) best = time;
  }
  return best;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double stack[2] = {1, 0};
  double* heap = malloc(sizeof stack);
  heap[0] = 1;
  const double self = least_reduce(MPI_COMM_SELF, &stack[0], &stack[1], kBatches);
  const double self_heap = least_reduce(MPI_COMM_SELF, &heap[0], &heap[1], kBatches);
  const double wait = least_wait();
  const int batches = kBatches / 2;
  const double world = size > 1 ? least_reduce(MPI_COMM_WORLD, &stack[0], &stack[1], batches) : 0;
  const double world_heap = size > 1 ? least_reduce(MPI_COMM_WORLD, &heap[0], &heap[1], batches) : 0;
  if (rank == 0) printf("self %.1f\nself-heap %.1f\nwait %.1f\n", self, self_heap, wait);
  if (rank == 0 && size > 1) printf("world %.1f\nworld-heap %.1f\n", world, world_heap);
  free(heap);
  MPI_Finalize();
  return 0;
}
