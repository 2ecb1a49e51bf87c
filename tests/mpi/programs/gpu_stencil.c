// SPDX-License-Identifier: BSD-3-Clause
// A program as users write them: takes GPU "local rank modulo devices", and sends to the neighbours of a grid from
// that GPU's memory. Links no GPU library: TOPOWISE_CUDA_LIBRARY names one to open.
//
//   gpu_stencil ROWS COLUMNS BYTES WEIGHT [host|device|current]
//
// Neighbours in the first dimension get BYTES x WEIGHT, the others BYTES. `current` takes the GPU whose context is
// current after MPI_Init. Prints "rank R local L on BUSID", or "rank R local L without GPU" and sends from the host.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long Address;

static int (*allocate)(Address*, size_t);

/// Opens the driver and makes the context of this process's GPU current. The GPU's bus id, or null.
static const char* take_gpu(int local_rank, int current) {
  static char bus_id[32];
  const char* library = getenv("TOPOWISE_CUDA_LIBRARY");
  void* driver = library != NULL ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (driver == NULL) return NULL;
  int (*initialize)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
  int (*count)(int*) = (int (*)(int*))dlsym(driver, "cuDeviceGetCount");
  int (*name)(char*, int, int) = (int (*)(char*, int, int))dlsym(driver, "cuDeviceGetPCIBusId");
  int (*retain)(void**, int) = (int (*)(void**, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
  int (*set)(void*) = (int (*)(void*))dlsym(driver, "cuCtxSetCurrent");
  int (*current_device)(int*) = (int (*)(int*))dlsym(driver, "cuCtxGetDevice");
  allocate = (int (*)(Address*, size_t))dlsym(driver, "cuMemAlloc_v2");
  int devices = 0, device = 0;
  void* context = NULL;
  if (initialize(0) != 0 || count(&devices) != 0 || devices == 0) return NULL;
  if (current) {
    if (current_device(&device) != 0) return NULL;
  } else {
    device = local_rank % devices;
    if (retain(&context, device) != 0 || set(context) != 0) return NULL;
  }
  return name(bus_id, sizeof(bus_id), device) == 0 ? bus_id : NULL;
}

static int local_rank_of(void) {
  const char* names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
  for (int i = 0; i < 3; ++i)
    if (getenv(names[i]) != NULL) return atoi(getenv(names[i]));
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  MPI_Init(&argc, &argv);
  const int rows = atoi(argv[1]), columns = atoi(argv[2]), bytes = atoi(argv[3]), weight = atoi(argv[4]);
  const char* memory = argc > 5 ? argv[5] : "host";
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* buffer = NULL;
  if (strcmp(memory, "host") != 0) {
    const char* gpu = take_gpu(local_rank_of(), strcmp(memory, "current") == 0);
    Address address = 0;
    if (gpu != NULL && allocate(&address, (size_t)bytes * (size_t)weight) == 0) buffer = (char*)address;
    if (buffer != NULL) printf("rank %d local %d on %s\n", rank, local_rank_of(), gpu);
  }
  if (buffer == NULL) {
    printf("rank %d local %d without GPU\n", rank, local_rank_of());
    buffer = calloc((size_t)bytes * (size_t)weight, 1);
  }
  const int row = rank / columns, column = rank % columns;
  const int to[4][2] = {{row - 1, column}, {row + 1, column}, {row, column - 1}, {row, column + 1}};
  char* incoming[4];
  MPI_Request requests[8];
  int pending = 0;
  for (int i = 0; i < 4; ++i) {
    incoming[i] = NULL;
    if (to[i][0] < 0 || to[i][0] >= rows || to[i][1] < 0 || to[i][1] >= columns) continue;
    const int peer = to[i][0] * columns + to[i][1], count = i < 2 ? bytes * weight : bytes;
    incoming[i] = malloc((size_t)count);
    MPI_Irecv(incoming[i], count, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[pending++]);
    MPI_Isend(buffer, count, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[pending++]);
  }
  MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 4; ++i) free(incoming[i]);
  MPI_Finalize();
  return 0;
}
