// SPDX-License-Identifier: BSD-3-Clause
// A rank that waits in MPI_Allreduce of vectors in GPU memory must let MPI progress: another rank may reach the same
// call only after it has got a message, a nonblocking collective or a window operation of the first rank.
//   gpu_progress messages|windows GPUS          windows too, which not every MPI library has among hosts
// Every rank prints "rank R: N checks, W wrong".
#include <string.h>
#include <unistd.h>

#include "gpu_memory.h"

enum { kBytes = 8 << 20 };
static char *from, *to;
static int32_t* device;

/// Waits long enough for the others to reach the next call. The test is right without this wait, but finds less.
static void come_late(void) {
  usleep(100000);
}

static void reduce_on_gpu(int call) {
  int32_t values[100];
  for (int i = 0; i < 100; ++i) values[i] = rank + call + i;
  CHECK(to_gpu((Address)device, values, sizeof values));
  CHECK(MPI_Allreduce(MPI_IN_PLACE, device, 100, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD));
  CHECK(to_host(values, (Address)device, sizeof values));
  ++checks;
  wrong += values[99] != ranks * (ranks - 1) / 2 + ranks * (call + 99);
}

/// Rank 0 comes only when the operation that all ranks have begun is complete.
static void finish_late(MPI_Request* request, int call) {
  if (rank == 0) CHECK(MPI_Wait(request, MPI_STATUS_IGNORE));
  reduce_on_gpu(call);
  CHECK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const int windows = strcmp(arguments[1], "windows") == 0;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  load(atoi(arguments[2]));
  from = calloc(kBytes, 1);
  to = calloc(kBytes, 1);
  device = make(400);
  MPI_Win window;
  if (windows) CHECK(MPI_Win_create(to, kBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  reduce_on_gpu(0);
  CHECK(MPI_Barrier(MPI_COMM_WORLD));

  MPI_Request request = MPI_REQUEST_NULL;
  const int last = ranks - 1;
  if (rank == last) CHECK(MPI_Isend(from, kBytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &request));
  if (rank == 0) {
    come_late();
    CHECK(MPI_Irecv(to, kBytes, MPI_BYTE, last, 3, MPI_COMM_WORLD, &request));
  }
  finish_late(&request, 1);

  if (rank == 0) come_late();
  CHECK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
  finish_late(&request, 2);

  if (rank == 0) come_late();
  CHECK(MPI_Iallreduce(from, to, kBytes / 4, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD, &request));
  finish_late(&request, 3);

  if (windows && rank == 0) {
    come_late();
    CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, window));
    CHECK(MPI_Get(from, kBytes, MPI_BYTE, last, 0, kBytes, MPI_BYTE, window));
    CHECK(MPI_Win_unlock(last, window));
    CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, window));
    CHECK(MPI_Accumulate(from, 1000, MPI_INT32_T, last, 0, 1000, MPI_INT32_T, MPI_SUM, window));
    CHECK(MPI_Win_unlock(last, window));
  }
  reduce_on_gpu(4);

  if (windows) CHECK(MPI_Win_free(&window));
  CHECK(release((Address)device));
  free(from);
  free(to);
  printf("rank %d: %d checks, %d wrong\n", rank, checks, wrong);
  MPI_Finalize();
  return 0;
}
