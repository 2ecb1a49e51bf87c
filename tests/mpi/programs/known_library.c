// SPDX-License-Identifier: BSD-3-Clause
// Built twice by the test: as a program, and with -DLIBRARY as a shared library under the name of one that is known to
// ignore its new ranks. The library makes a graph of vertex v and v + n/2 with reorder = 1, and exchanges data that the
// processes have by their old ranks.
#include <mpi.h>
#include <stdio.h>

int exchange(void);

#ifdef LIBRARY
int exchange(void) {
  int rank, ranks, partner, got = -1, moved;
  MPI_Comm graph;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  partner = (rank + ranks / 2) % ranks;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &partner, MPI_UNWEIGHTED, 1, &partner, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 1, &graph);
  MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &got, 1, MPI_INT, graph);
  MPI_Comm_free(&graph);
  moved = got != partner;
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return moved;
}
#else
int main(int count, char** words) {
  int rank, wrong;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  wrong = exchange();
  if (rank == 0) printf("wrong %d\n", wrong);
  MPI_Finalize();
  return 0;
}
#endif
