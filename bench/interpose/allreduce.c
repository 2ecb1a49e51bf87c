// SPDX-License-Identifier: BSD-3-Clause
// For allreduce.sh: measures the time per MPI_Allreduce of 8 bytes on the host, and per MPI_Wait of a null request. The
// difference of two runs shows what `topowise run --allreduce` adds to calls that the MPI library still carries out.
//
//   self   on MPI_COMM_SELF
//   world  on MPI_COMM_WORLD
//   wait   MPI_Wait of MPI_REQUEST_NULL
//
// The vectors are on the stack, or with the suffix -heap in allocated memory. Each time is the least of many short
// batches, since other load on the machine only adds time. Rank 0 prints nanoseconds.
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
