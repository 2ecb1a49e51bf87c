// SPDX-License-Identifier: BSD-3-Clause
// A program of the kind that users write: it takes GPU "local rank modulo devices", and sends to the neighbours of a
// grid from that GPU's memory. It links no GPU library: TOPOWISE_CUDA_LIBRARY names one to open.
//
//   gpu_stencil ROWS COLUMNS BYTES WEIGHT [host|device|current|shared] [init|thread|session]
//
// Neighbours in the first dimension get BYTES x WEIGHT, the others BYTES. `current` takes the GPU whose context is
// current after MPI_Init. `shared` reads the neighbours' GPU memory directly if all ranks can open it; otherwise it
// sends copies in host memory. It prints which of the two it does. The last word is how MPI starts: by MPI_Init,
// MPI_Init_thread, or a session. The program prints "rank R local L on BUSID"; without a GPU it prints "rank R local L
// without GPU" and sends from the host.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long Address;

typedef struct {
  char bytes[64];
} Handle;

static MPI_Comm world;
static int (*allocate)(Address*, size_t);
static int (*fill)(Address, unsigned char, size_t);
static int (*copy_to_host)(void*, Address, size_t);
static int (*export_memory)(Handle*, Address);
static int (*import_memory)(Address*, Handle, unsigned);

/// Opens the driver and makes the context of this process's GPU current. Returns the GPU's bus id, or null.
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
  fill = (int (*)(Address, unsigned char, size_t))dlsym(driver, "cuMemsetD8_v2");
  copy_to_host = (int (*)(void*, Address, size_t))dlsym(driver, "cuMemcpyDtoH_v2");
  export_memory = (int (*)(Handle*, Address))dlsym(driver, "cuIpcGetMemHandle");
  import_memory = (int (*)(Address*, Handle, unsigned))dlsym(driver, "cuIpcOpenMemHandle_v2");
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

/// Opens the memory of the four neighbours (0: no neighbour) if all ranks can open that of theirs. Otherwise returns 0.
static int open_neighbors(Address mine, const int to[4], Address* theirs) {
  int ranks, opened;
  MPI_Comm_size(world, &ranks);
  Handle own, *all = malloc(sizeof(Handle) * (size_t)ranks);
  opened = mine != 0 && export_memory(&own, mine) == 0;
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, world);
  for (int i = 0; i < 4; ++i) {
    theirs[i] = 0;
    if (to[i] >= 0) opened = opened && import_memory(&theirs[i], all[to[i]], 1) == 0;
  }
  free(all);
  MPI_Allreduce(MPI_IN_PLACE, &opened, 1, MPI_INT, MPI_MIN, world);
  return opened;
}

static void check(const char* halo, int size, int peer) {
  if (halo[0] == (char)peer && halo[size - 1] == (char)peer) return;
  fprintf(stderr, "gpu_stencil: wrong data of rank %d\n", peer);
  MPI_Abort(world, 1);
}

#if MPI_VERSION >= 4
static MPI_Session session = MPI_SESSION_NULL;
#endif

/// Starts MPI in one of three ways, and makes `world`.
static void start(int* argc, char*** argv, const char* way) {
  int provided;
#if MPI_VERSION >= 4
  if (strcmp(way, "session") == 0) {
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "gpu_stencil", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
    MPI_Group_free(&group);
    return;
  }
#endif
  if (strcmp(way, "thread") == 0)
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  else
    MPI_Init(argc, argv);
  world = MPI_COMM_WORLD;
}

static void end(void) {
#if MPI_VERSION >= 4
  if (session != MPI_SESSION_NULL) {
    MPI_Comm_free(&world);
    MPI_Session_finalize(&session);
    return;
  }
#endif
  MPI_Finalize();
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  start(&argc, &argv, argc > 6 ? argv[6] : "init");
  const int rows = atoi(argv[1]), columns = atoi(argv[2]), bytes = atoi(argv[3]), weight = atoi(argv[4]);
  const char* memory = argc > 5 ? argv[5] : "host";
  int rank;
  MPI_Comm_rank(world, &rank);
  char* buffer = NULL;
  Address address = 0;
  if (strcmp(memory, "host") != 0) {
    const char* gpu = take_gpu(local_rank_of(), strcmp(memory, "current") == 0);
    if (gpu != NULL && allocate(&address, (size_t)bytes * (size_t)weight) == 0) buffer = (char*)address;
    if (buffer != NULL) printf("rank %d local %d on %s\n", rank, local_rank_of(), gpu);
  }
  if (buffer == NULL) {
    printf("rank %d local %d without GPU\n", rank, local_rank_of());
    buffer = calloc((size_t)bytes * (size_t)weight, 1);
  }
  const int row = rank / columns, column = rank % columns;
  const int peers[4] = {row > 0 ? rank - columns : -1, row + 1 < rows ? rank + columns : -1, column > 0 ? rank - 1 : -1,
                        column + 1 < columns ? rank + 1 : -1};
  const int shared = strcmp(memory, "shared") == 0;
  int opened = 0;
  Address theirs[4];
  if (shared) {
    if (address != 0) fill(address, (unsigned char)rank, (size_t)bytes * (size_t)weight);
    opened = open_neighbors(address, peers, theirs);
    printf("rank %d exchanges %s\n", rank, opened ? "by itself" : "by the host");
    char* staged = malloc((size_t)bytes * (size_t)weight);
    if (address != 0) copy_to_host(staged, address, (size_t)bytes * (size_t)weight);
    buffer = staged;
  }
  char* incoming[4];
  MPI_Request requests[8];
  int pending = 0;
  for (int i = 0; i < 4; ++i) {
    incoming[i] = NULL;
    if (peers[i] < 0) continue;
    const int count = i < 2 ? bytes * weight : bytes;
    incoming[i] = malloc((size_t)count);
    if (opened) {
      copy_to_host(incoming[i], theirs[i], (size_t)count);
    } else {
      MPI_Irecv(incoming[i], count, MPI_BYTE, peers[i], 0, world, &requests[pending++]);
      MPI_Isend(buffer, count, MPI_BYTE, peers[i], 0, world, &requests[pending++]);
    }
  }
  MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 4; ++i) {
    if (shared && incoming[i] != NULL) check(incoming[i], i < 2 ? bytes * weight : bytes, peers[i]);
    free(incoming[i]);
  }
  if (shared) MPI_Barrier(world);  // no rank gives its memory back while others read it
  end();
  return 0;
}
