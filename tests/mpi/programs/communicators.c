// SPDX-License-Identifier: BSD-3-Clause
// 4 ranks send through communicators of every kind: the recorded matrix must have world ranks.
//   communicators [plain]     plain: without the communicators that are made by a call with a tag
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

static char out[1 << 16], in[1 << 16];

/// Sends `bytes` to the next member of `comm`, cyclically.
static void around(MPI_Comm comm, int bytes) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % size, 0, in, bytes, MPI_BYTE, (rank + size - 1) % size, 0, comm,
               MPI_STATUS_IGNORE);
}

static void groups(int rank, int plain) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);  // {2, 0}, {3, 1}
  around(comm, 1);
  MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  around(comm, 2);
  MPI_Comm_free(&comm);
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  around(comm, 4);
  MPI_Comm_free(&comm);

  MPI_Group world, some;
  const int members[] = {3, 0, 2};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 3, members, &some);
  MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
  if (comm != MPI_COMM_NULL) {
    around(comm, 8);  // 3 -> 0 -> 2 -> 3
    MPI_Comm_free(&comm);
  }
  if (rank != 1 && !plain) {
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &comm);
    around(comm, 16);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&world);

  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
  around(comm, 32);
  MPI_Comm_free(&comm);
}

/// Handles are used again for other members after they are freed: partners {0, 2} {1, 3}, then {0, 1} {2, 3}.
static void recycled(int rank) {
  for (int round = 0; round < 200; ++round) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, (rank >> (round % 2)) & 1, rank, &comm);
    around(comm, 5);
    MPI_Comm_free(&comm);
  }
}

static void grid(void) {
  MPI_Comm comm, row;
  const int dims[] = {2, 2}, periodic[] = {1, 1}, keep[] = {0, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &comm);
  around(comm, 64);
  MPI_Cart_sub(comm, keep, &row);  // {0, 1}, {2, 3}
  around(row, 128);
  MPI_Comm_free(&row);
  MPI_Comm_free(&comm);
}

static void between(int rank) {
  MPI_Comm half, inter, merged;
  const int upper = rank / 2;
  MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : 2, 9, &inter);
  // Member i of one half talks to member i of the other half.
  MPI_Sendrecv(out, 1 << 12, MPI_BYTE, rank % 2, 0, in, 1 << 12, MPI_BYTE, rank % 2, 0, inter, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge(inter, !upper, &merged);  // 2, 3, 0, 1
  around(merged, 1 << 13);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int plain = argc > 1;
  groups(rank, plain);
  recycled(rank);
  grid();
  if (!plain) between(rank);
  MPI_Finalize();
  return 0;
}
