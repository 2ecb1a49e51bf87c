// SPDX-License-Identifier: BSD-3-Clause
// Every way to send from rank r to rank r + 1, each with its own power of two of bytes: the sum shows a call that is
// missed or counted twice. Rank 0 prints the names of the ways that this MPI has.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#define HAS_MPI4 (MPI_VERSION >= 4)
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define HAS_OPENMPI5 1
#else
#define HAS_OPENMPI5 0
#endif

enum { kLargest = 1 << 22 };

static int rank, ranks, next, previous;
static char *out, *in;
static MPI_Request incoming;

static int begin(const char* name, int bytes) {
  if (rank == 0) printf("way %s\n", name);
  MPI_Irecv(in, bytes, MPI_BYTE, previous, 7, MPI_COMM_WORLD, &incoming);
  MPI_Barrier(MPI_COMM_WORLD);  // a ready send needs a posted receive
  return bytes;
}

static void end(void) {
  MPI_Wait(&incoming, MPI_STATUS_IGNORE);
}

static void wait_for(MPI_Request* request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

#define TO_NEXT next, 7, MPI_COMM_WORLD

static void blocking(void) {
  MPI_Send(out, begin("send", 1 << 0), MPI_BYTE, TO_NEXT), end();
  MPI_Ssend(out, begin("ssend", 1 << 1), MPI_BYTE, TO_NEXT), end();
  MPI_Bsend(out, begin("bsend", 1 << 2), MPI_BYTE, TO_NEXT), end();
  MPI_Rsend(out, begin("rsend", 1 << 3), MPI_BYTE, TO_NEXT), end();
}

static void nonblocking(void) {
  MPI_Request request;
  MPI_Isend(out, begin("isend", 1 << 4), MPI_BYTE, TO_NEXT, &request), wait_for(&request), end();
  MPI_Issend(out, begin("issend", 1 << 5), MPI_BYTE, TO_NEXT, &request), wait_for(&request), end();
  MPI_Ibsend(out, begin("ibsend", 1 << 6), MPI_BYTE, TO_NEXT, &request), wait_for(&request), end();
  MPI_Irsend(out, begin("irsend", 1 << 7), MPI_BYTE, TO_NEXT, &request), wait_for(&request), end();
}

static void persistent(void) {
  MPI_Request requests[4];
  MPI_Send_init(out, 1 << 8, MPI_BYTE, TO_NEXT, &requests[0]);
  for (int i = 0; i < 3; ++i) begin("send_init", 1 << 8), MPI_Start(&requests[0]), wait_for(&requests[0]), end();
  MPI_Ssend_init(out, 1 << 9, MPI_BYTE, TO_NEXT, &requests[1]);
  begin("ssend_init", 1 << 9), MPI_Startall(1, &requests[1]), wait_for(&requests[1]), end();
  MPI_Bsend_init(out, 1 << 10, MPI_BYTE, TO_NEXT, &requests[2]);
  begin("bsend_init", 1 << 10), MPI_Startall(1, &requests[2]), wait_for(&requests[2]), end();
  MPI_Rsend_init(out, 1 << 11, MPI_BYTE, TO_NEXT, &requests[3]);
  begin("rsend_init", 1 << 11), MPI_Start(&requests[3]), wait_for(&requests[3]), end();
  for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
}

static void combined(void) {
  MPI_Status status;
  if (rank == 0) printf("way sendrecv\nway sendrecv_replace\n");
  MPI_Sendrecv(out, 1 << 12, MPI_BYTE, next, 1, in, 1 << 12, MPI_BYTE, previous, 1, MPI_COMM_WORLD, &status);
  MPI_Sendrecv_replace(out, 1 << 13, MPI_BYTE, next, 2, previous, 2, MPI_COMM_WORLD, &status);

  MPI_Datatype with_gaps;  // 2^14 bytes of data in twice the space
  MPI_Type_vector(1 << 11, 8, 16, MPI_BYTE, &with_gaps);
  MPI_Type_commit(&with_gaps);
  begin("vector", 1 << 14), MPI_Send(out, 1, with_gaps, TO_NEXT), end();
  MPI_Type_free(&with_gaps);
}

static void not_counted(void) {
  MPI_Request never_started;
  MPI_Send(out, kLargest, MPI_BYTE, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
  MPI_Send_init(out, kLargest, MPI_BYTE, TO_NEXT, &never_started);
  MPI_Request_free(&never_started);
}

static void to_self(void) {
  MPI_Request request;
  MPI_Isend(out, 3, MPI_BYTE, rank, 9, MPI_COMM_WORLD, &request);
  MPI_Recv(in, 3, MPI_BYTE, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  wait_for(&request);
}

static void partitioned(void) {
#if HAS_MPI4 || HAS_OPENMPI5
  MPI_Request requests[2];
  MPI_Status statuses[2];
  if (rank == 0) printf("way psend_init\n");
  MPI_Psend_init(out, 4, 1 << 15, MPI_BYTE, next, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, 4, 1 << 15, MPI_BYTE, previous, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  for (int partition = 0; partition < 4; ++partition) MPI_Pready(partition, requests[0]);
  MPI_Waitall(2, requests, statuses);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
#endif
}

static void mpi4(void) {
#if HAS_MPI4 || HAS_OPENMPI5
  MPI_Request both;
  if (rank == 0) printf("way isendrecv\nway isendrecv_replace\n");
  MPI_Isendrecv(out, 1 << 15, MPI_BYTE, next, 1, in, 1 << 15, MPI_BYTE, previous, 1, MPI_COMM_WORLD, &both);
  wait_for(&both);
  MPI_Isendrecv_replace(out, 1 << 16, MPI_BYTE, next, 2, previous, 2, MPI_COMM_WORLD, &both);
  wait_for(&both);
#endif
#if HAS_MPI4
  MPI_Request request;
  MPI_Status status;
  MPI_Send_c(out, begin("send_c", 1 << 18), MPI_BYTE, TO_NEXT), end();
  MPI_Isend_c(out, begin("isend_c", 1 << 19), MPI_BYTE, TO_NEXT, &request), wait_for(&request), end();
  MPI_Send_init_c(out, 1 << 20, MPI_BYTE, TO_NEXT, &request);
  begin("send_init_c", 1 << 20), MPI_Start(&request), wait_for(&request), end();
  MPI_Request_free(&request);
  if (rank == 0) printf("way sendrecv_c\n");
  MPI_Sendrecv_c(out, 1 << 21, MPI_BYTE, next, 1, in, 1 << 21, MPI_BYTE, previous, 1, MPI_COMM_WORLD, &status);
#endif
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  next = (rank + 1) % ranks;
  previous = (rank + ranks - 1) % ranks;
  out = calloc(1, kLargest);
  in = calloc(1, kLargest);
  void* attached = malloc(1 << 16);
  int attached_bytes;
  MPI_Buffer_attach(attached, 1 << 16);
  blocking();
  nonblocking();
  persistent();
  combined();
  not_counted();
  to_self();
  mpi4();
  if (argc == 1) partitioned();
  MPI_Buffer_detach(&attached, &attached_bytes);
  free(attached);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
