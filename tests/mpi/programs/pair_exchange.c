/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks r and r + n/2 exchange BYTES, TIMES times; rank 0 prints the seconds of one exchange.  pair_exchange [BYTES
 * [TIMES]] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  MPI_Init(&count, &words);
  const int bytes = count > 1 ? atoi(words[1]) : 262144;
  const int times = count > 2 ? atoi(words[2]) : 5;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int partner = (rank + ranks / 2) % ranks;
  char* out = calloc(1, (size_t)bytes);
  char* in = malloc((size_t)bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < times; ++i)
    MPI_Sendrecv(out, bytes, MPI_BYTE, partner, 0, in, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%.6f s\n", (MPI_Wtime() - start) / times);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
