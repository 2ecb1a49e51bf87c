// SPDX-License-Identifier: BSD-3-Clause
// What users of an MPI library that knows no GPUs do: copy each vector to the host, reduce there, copy the result back.
// Compared with MPI_Allreduce of the vectors in GPU memory, which the job must answer:
//   mpirun -n N topowise run --allreduce -- staging GPUS [MIB]
// Sums floats in vectors of 4 B to MIB (64). Rank 0 prints "bytes,staged_s,on_gpu_s,right": means of the slowest rank's
// times.
#include "gpu_memory.h"

enum { kLeastCalls = 4, kMostCalls = 20 };

static float value_of(int of_rank, size_t i) {
  return (float)(i % 5) + (float)of_rank;
}

/// Fills the vector on the GPU, and marks the result.
static void fill(Address vector, Address result, float* host, size_t count) {
  memset(host, 0xff, count * sizeof *host);
  CHECK(to_gpu(result, host, count * sizeof *host));
  for (size_t i = 0; i < count; ++i) host[i] = value_of(rank, i);
  CHECK(to_gpu(vector, host, count * sizeof *host));
}

static int is_right(Address result, float* host, size_t count) {
  CHECK(to_host(host, result, count * sizeof *host));
  for (size_t i = 0; i < count; ++i)
    if (host[i] != (float)((int)(i % 5) * ranks + ranks * (ranks - 1) / 2)) return 0;
  return 1;
}

static void staged(Address vector, Address result, float* host, size_t count) {
  CHECK(to_host(host, vector, count * sizeof *host));
  CHECK(MPI_Allreduce(MPI_IN_PLACE, host, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(to_gpu(result, host, count * sizeof *host));
}

static void on_gpu(Address vector, Address result, float* host, size_t count) {
  (void)host;
  CHECK(MPI_Allreduce((void*)vector, (void*)result, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
}

/// Seconds of a call at the slowest rank; the first call is not counted.
static double seconds(void (*call)(Address, Address, float*, size_t), Address vector, Address result, float* host,
                      size_t count, int calls, int* right) {
  fill(vector, result, host, count);
  call(vector, result, host, count);
  *right = *right && is_right(result, host, count);
  double spent = 0, slowest = 0;
  for (int i = 0; i < calls; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    call(vector, result, host, count);
    spent += MPI_Wtime() - begin;
  }
  *right = *right && is_right(result, host, count);
  MPI_Allreduce(&spent, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest / calls;
}

int main(int count, char** arguments) {
  if (count < 2) return 2;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  load(atoi(arguments[1]));
  const size_t most = (size_t)(count > 2 ? atoi(arguments[2]) : 64) << 20;
  const Address vector = (Address)make(most), result = (Address)make(most);
  float* host = malloc(most);
  if (host == NULL) fail("no memory on the host", 0);
  // Memory that the driver knows is copied faster.
  int (*pin)(void*, size_t, unsigned) = (int (*)(void*, size_t, unsigned))driver_function("cuMemHostRegister_v2");
  const int pinned = pin != NULL && pin(host, most, 0) == 0;
  if (rank == 0)
    printf("# %d ranks, host memory %s\nbytes,staged_s,on_gpu_s,right\n", ranks, pinned ? "pinned" : "pageable");
  int all_right = 1;
  for (size_t bytes = 4; bytes <= most; bytes *= 16) {
    const int calls = bytes < 1 << 20 ? kMostCalls : kLeastCalls;
    int mine = 1, right = 0;
    const double by_host = seconds(staged, vector, result, host, bytes / sizeof *host, calls, &mine);
    const double by_gpu = seconds(on_gpu, vector, result, host, bytes / sizeof *host, calls, &mine);
    MPI_Allreduce(&mine, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    all_right = all_right && right;
    if (rank == 0) printf("%zu,%.9f,%.9f,%s\n", bytes, by_host, by_gpu, right ? "true" : "false");
  }
  CHECK(release(vector));
  CHECK(release(result));
  MPI_Finalize();
  return all_right ? 0 : 1;
}
