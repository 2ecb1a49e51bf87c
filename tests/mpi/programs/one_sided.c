// SPDX-License-Identifier: BSD-3-Clause
// Makes every one-sided call to the next rank of a communicator in reversed order, that is, to world rank r - 1. Sizes
// are powers of two.
#include <mpi.h>

#include <stdlib.h>

enum { kBytes = 1 << 16 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int world_rank, rank, ranks;
  MPI_Comm reversed;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &reversed);
  MPI_Comm_rank(reversed, &rank);
  MPI_Comm_size(reversed, &ranks);
  const int to = (rank + 1) % ranks;
  char* exposed = calloc(1, kBytes);
  char* local = calloc(1, kBytes);
  char* result = calloc(1, kBytes);
  MPI_Win window;
  MPI_Request request;
  MPI_Win_create(exposed, kBytes, 1, MPI_INFO_NULL, reversed, &window);
  MPI_Win_lock_all(0, window);
  MPI_Put(local, 1 << 4, MPI_BYTE, to, 0, 1 << 4, MPI_BYTE, window);
  MPI_Rput(local, 1 << 5, MPI_BYTE, to, 0, 1 << 5, MPI_BYTE, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Accumulate(local, 1 << 3, MPI_LONG_LONG, to, 0, 1 << 3, MPI_LONG_LONG, MPI_SUM, window);
  MPI_Raccumulate(local, 1 << 4, MPI_LONG_LONG, to, 0, 1 << 4, MPI_LONG_LONG, MPI_SUM, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Get(result, 1 << 8, MPI_BYTE, to, 0, 1 << 8, MPI_BYTE, window);
  MPI_Rget(result, 1 << 9, MPI_BYTE, to, 0, 1 << 9, MPI_BYTE, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush_all(window);
  MPI_Get_accumulate(local, 1 << 7, MPI_LONG_LONG, result, 1 << 7, MPI_LONG_LONG, to, 0, 1 << 7, MPI_LONG_LONG, MPI_SUM,
                     window);
  MPI_Get_accumulate(NULL, 0, MPI_LONG_LONG, result, 1 << 8, MPI_LONG_LONG, to, 0, 1 << 8, MPI_LONG_LONG, MPI_NO_OP,
                     window);
  MPI_Fetch_and_op(local, result, MPI_LONG_LONG, to, 0, MPI_SUM, window);
  MPI_Win_flush_all(window);
  MPI_Compare_and_swap(local, local + 8, result, MPI_LONG_LONG, to, 0, window);
  MPI_Put(local, 1 << 15, MPI_BYTE, MPI_PROC_NULL, 0, 1 << 15, MPI_BYTE, window);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  free(exposed);
  free(local);
  free(result);
  MPI_Comm_free(&reversed);
  MPI_Finalize();
  return 0;
}
