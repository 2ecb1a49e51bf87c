// SPDX-License-Identifier: BSD-3-Clause
// A weighted stencil between GPUs: every rank writes its neighbours' halos by copies from GPU to GPU, into memory that
// the neighbours exported to it.
//   gpu_exchange ROWS COLUMNS BYTES WEIGHT ROUNDS SECONDS
// A message along the first dimension has WEIGHT * BYTES, along the second BYTES. Each rank sends in the order of the
// destinations. Rank 0 prints "exchange T", the median time from the common start to the end of the last copy. No rank
// calls MPI while copies are on the wires: all sleep until SECONDS after the start, because waiting ranks would take
// the processor from working ones.
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check_driver.h"

enum { kNeighbors = 4 };
typedef struct {
  char bytes[64];
} Handle;
typedef uint64_t Address;

static int (*init)(unsigned);
static int (*device_count)(int*);
static int (*retain)(void**, int);
static int (*set_current)(void*);
static int (*alloc)(Address*, size_t);
static int (*fill)(Address, unsigned char, size_t);
static int (*to_host)(void*, Address, size_t);
static int (*copy)(Address, Address, size_t, void*);
static int (*synchronize)(void*);
static int (*create_stream)(void**, unsigned);
static int (*export_memory)(Handle*, Address);
static int (*import_memory)(Address*, Handle, unsigned);

// Counts as the launcher does: Open MPI 5 may number local ranks in another order than MPI_COMM_WORLD.
static int local_rank(void) {
  const char* names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
  for (int i = 0; i < 3; ++i) {
    if (getenv(names[i]) != NULL) return atoi(getenv(names[i]));
  }
  return rank;
}

static void load(void) {
  const char* name = getenv("TOPOWISE_CUDA_LIBRARY");
  void* library = dlopen(name != NULL && *name != '\0' ? name : "libcuda.so.1", RTLD_NOW);
  if (library == NULL) fail(dlerror(), 0);
  *(void**)&init = dlsym(library, "cuInit");
  *(void**)&device_count = dlsym(library, "cuDeviceGetCount");
  *(void**)&retain = dlsym(library, "cuDevicePrimaryCtxRetain");
  *(void**)&set_current = dlsym(library, "cuCtxSetCurrent");
  *(void**)&alloc = dlsym(library, "cuMemAlloc_v2");
  *(void**)&fill = dlsym(library, "cuMemsetD8_v2");
  *(void**)&to_host = dlsym(library, "cuMemcpyDtoH_v2");
  *(void**)&copy = dlsym(library, "cuMemcpyAsync");
  *(void**)&synchronize = dlsym(library, "cuStreamSynchronize");
  *(void**)&create_stream = dlsym(library, "cuStreamCreate");
  *(void**)&export_memory = dlsym(library, "cuIpcGetMemHandle");
  *(void**)&import_memory = dlsym(library, "cuIpcOpenMemHandle_v2");
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void sleep_until(int64_t time) {
  const struct timespec until = {time / 1000000000, time % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
  }
}

typedef struct {
  int rank;  // -1: the grid ends here
  int slot;  // the receiver's slot
  size_t size;
  Address halo;  // the receiver's halo
} Neighbor;

// In the order of the ranks: above, left, right, below. The receiver's slot is the opposite one.
static void find_neighbors(int rows, int columns, size_t bytes, size_t weight, Neighbor* neighbors) {
  const int row = rank / columns, column = rank % columns;
  const Neighbor all[kNeighbors] = {{row > 0 ? rank - columns : -1, 3, bytes * weight, 0},
                                    {column > 0 ? rank - 1 : -1, 2, bytes, 0},
                                    {column + 1 < columns ? rank + 1 : -1, 1, bytes, 0},
                                    {row + 1 < rows ? rank + columns : -1, 0, bytes * weight, 0}};
  memcpy(neighbors, all, sizeof all);
}

// Makes one halo for each neighbour; every rank gets the handles of all.
static void connect(Neighbor* neighbors, size_t size, Address* halos) {
  Handle mine[kNeighbors], *all = malloc(sizeof(Handle) * kNeighbors * (size_t)ranks);
  for (int i = 0; i < kNeighbors; ++i) {
    CHECK(alloc(&halos[i], size));
    CHECK(fill(halos[i], 0xff, size));
    CHECK(export_memory(&mine[i], halos[i]));
  }
  MPI_Allgather(mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  for (int i = 0; i < kNeighbors; ++i) {
    Neighbor* to = &neighbors[i];
    if (to->rank >= 0) CHECK(import_memory(&to->halo, all[to->rank * kNeighbors + to->slot], 1));
  }
  free(all);
}

// The seconds from the common start, which is `lead` nanoseconds from now, to the end of this rank's last copy.
// Infinite for a rank that heard of the start too late.
static double exchange(const Neighbor* neighbors, Address from, void* stream, int64_t lead, double period) {
  int64_t start = now() + lead;
  MPI_Bcast(&start, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  const int late = now() > start;
  sleep_until(start);
  for (int i = 0; i < kNeighbors; ++i) {
    if (neighbors[i].rank >= 0) CHECK(copy(neighbors[i].halo, from, neighbors[i].size, stream));
  }
  CHECK(synchronize(stream));
  const double seconds = late ? HUGE_VAL : (double)(now() - start) * 1e-9;
  sleep_until(start + (int64_t)(period * 1e9));
  return seconds;
}

static int by_size(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (count != 7) fail("usage: gpu_exchange ROWS COLUMNS BYTES WEIGHT ROUNDS SECONDS", count);
  const int rows = atoi(arguments[1]), columns = atoi(arguments[2]);
  const size_t bytes = strtoul(arguments[3], NULL, 10), weight = strtoul(arguments[4], NULL, 10);
  if (rows * columns != ranks) fail("one rank a cell of the grid is needed", ranks);

  load();
  void *context, *stream;
  CHECK(init(0));
  int devices = 0;
  CHECK(device_count(&devices));
  CHECK(retain(&context, local_rank() % devices));  // programs do this; `topowise run` has put this rank's GPU there
  CHECK(set_current(context));
  CHECK(create_stream(&stream, 1));
  Address from, halos[kNeighbors];
  CHECK(alloc(&from, bytes * weight));
  CHECK(fill(from, (unsigned char)rank, bytes * weight));
  Neighbor neighbors[kNeighbors];
  find_neighbors(rows, columns, bytes, weight, neighbors);
  connect(neighbors, bytes * weight, halos);

  enum { kMostRounds = 100, kMostFalseStarts = 5 };
  const int rounds = atoi(arguments[5]);
  if (rounds < 1 || rounds > kMostRounds) fail("ROUNDS must be 1 to 100", rounds);
  double times[kMostRounds];
  int64_t lead = 200000000;
  int round = 0;
  for (int false_starts = 0; round < rounds && false_starts < kMostFalseStarts;) {
    double mine = exchange(neighbors, from, stream, lead, atof(arguments[6])), slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (isinf(slowest)) {
      lead *= 2;
      ++false_starts;
    } else {
      times[round++] = slowest;
    }
  }
  int wrong = 0, all_wrong = 0;
  for (int i = 0; i < kNeighbors; ++i) {
    unsigned char value = 0;
    CHECK(to_host(&value, halos[i] + neighbors[i].size - 1, 1));
    wrong += neighbors[i].rank >= 0 && value != neighbors[i].rank;
  }
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  qsort(times, (size_t)round, sizeof times[0], by_size);
  if (rank == 0) printf("exchange %.6f wrong %d\n", round == rounds ? times[round / 2] : HUGE_VAL, all_wrong);
  MPI_Finalize();
  return 0;
}
