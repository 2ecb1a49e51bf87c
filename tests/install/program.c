/* A user's program: each rank sends to the next one, then all add up. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size, sum = 0;
  char sent[1000] = "", received[1000];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Sendrecv(sent, sizeof sent, MPI_CHAR, (rank + 1) % size, 0, received, sizeof received, MPI_CHAR,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
