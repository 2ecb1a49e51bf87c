// SPDX-License-Identifier: BSD-3-Clause
// For overhead.sh: measures the time per MPI call. The difference of two runs shows what a tool between the program and
// MPI adds.
//
//   null      MPI_Send of 8 bytes to MPI_PROC_NULL: nothing but the call itself
//   partner   MPI_Send of 8 bytes to this process itself, which has posted a receive before: a recorded message that
//             waits for no other process
//   pingpong  half the round trip of 8 bytes between ranks 0 and 1
//   start     MPI_Start of a persistent send of 8 bytes to this process itself
//   barrier   MPI_Barrier on MPI_COMM_SELF
//   self-N    MPI_Isend, MPI_Recv and MPI_Wait of 8 bytes to this process itself, each time on the next of N
//             communicators
//   starts-N  MPI_Start of the next of N persistent sends of 8 bytes to this process itself
//   host, gpu partner with a GPU driver in the program, sending from the heap and from GPU memory. Left out if
//             TOPOWISE_CUDA_LIBRARY does not name a driver. gpu needs an MPI that can send from GPU memory, or a driver
//             whose memory the host can read.
//
// Each time is the least of many repetitions, since other load on a shared machine only adds time. Rank 0 prints
// nanoseconds.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRepetitions = 60, kCalls = 4000 };

static double now_ns(void) {
  return MPI_Wtime() * 1e9;
}

static double null_send(void) {
  char bytes[8] = {0};
  const double begin = now_ns();
  for (int i = 0; i < kCalls; ++i) MPI_Send(bytes, 8, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  return (now_ns() - begin) / kCalls;
}

static double send_from(char* sent) {
  char received[8];
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double sends = 0;
  for (int i = 0; i < kCalls; ++i) {
    MPI_Request request;
    MPI_Irecv(received, 8, MPI_CHAR, rank, 0, MPI_COMM_WORLD, &request);
    const double begin = now_ns();
    MPI_Send(sent, 8, MPI_CHAR, rank, 0, MPI_COMM_WORLD);
    sends += now_ns() - begin;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return sends / kCalls;
}

static double partner(void) {
  char sent[8] = {0};
  return send_from(sent);
}

static char* host_memory;
static char* gpu_memory;
static double host(void) {
  return send_from(host_memory);
}
static double gpu(void) {
  return send_from(gpu_memory);
}

/// Allocates 8 bytes on GPU 0 and on the host; false without a driver.
static int open_gpu(void) {
  const char* name = getenv("TOPOWISE_CUDA_LIBRARY");
  void* driver = name != NULL && *name != '\0' ? dlopen(name, RTLD_NOW) : NULL;
  if (driver == NULL) return 0;
  int (*initialize)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
  int (*retain)(void**, int) = (int (*)(void**, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
  int (*set)(void*) = (int (*)(void*))dlsym(driver, "cuCtxSetCurrent");
  int (*allocate)(unsigned long long*, size_t) = (int (*)(unsigned long long*, size_t))dlsym(driver, "cuMemAlloc_v2");
  void* context = NULL;
  unsigned long long address = 0;
  if (initialize(0) != 0 || retain(&context, 0) != 0 || set(context) != 0 || allocate(&address, 8) != 0) return 0;
  gpu_memory = (char*)address;
  host_memory = calloc(8, 1);
  return 1;
}

static double pingpong(void) {
  char bytes[8] = {0};
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return 0;
  const double begin = now_ns();
  for (int i = 0; rank < 2 && i < kCalls; ++i) {
    if (rank == 0) MPI_Send(bytes, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(bytes, 8, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(bytes, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
  return (now_ns() - begin) / kCalls / 2;
}

static double start(void) {
  char sent[8] = {0}, received[8];
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request send, receive;
  MPI_Send_init(sent, 8, MPI_CHAR, rank, 0, MPI_COMM_WORLD, &send);
  MPI_Recv_init(received, 8, MPI_CHAR, rank, 0, MPI_COMM_WORLD, &receive);
  double starts = 0;
  for (int i = 0; i < kCalls; ++i) {
    MPI_Start(&receive);
    const double begin = now_ns();
    MPI_Start(&send);
    starts += now_ns() - begin;
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
  return starts / kCalls;
}

static double barrier(void) {
  const double begin = now_ns();
  for (int i = 0; i < kCalls; ++i) MPI_Barrier(MPI_COMM_SELF);
  return (now_ns() - begin) / kCalls;
}

enum { kMost = 300 };
static int round_length;  // N
static MPI_Comm communicators[kMost];
static double self(void) {
  char sent[8] = {0}, received[8];
  const double begin = now_ns();
  for (int i = 0, at = 0; i < kCalls; ++i) {
    MPI_Request request;
    MPI_Isend(sent, 8, MPI_CHAR, 0, 0, communicators[at], &request);
    MPI_Recv(received, 8, MPI_CHAR, 0, 0, communicators[at], MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (++at == round_length) at = 0;
  }
  return (now_ns() - begin) / kCalls;
}

static double starts(void) {
  char sent[8] = {0}, received[8];
  MPI_Request sends[kMost];
  for (int i = 0; i < round_length; ++i) MPI_Send_init(sent, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &sends[i]);
  double sum = 0;
  for (int i = 0, at = 0; i < kCalls; ++i) {
    MPI_Request receive;
    MPI_Irecv(received, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &receive);
    const double begin = now_ns();
    MPI_Start(&sends[at]);
    sum += now_ns() - begin;
    MPI_Wait(&sends[at], MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    if (++at == round_length) at = 0;
  }
  for (int i = 0; i < round_length; ++i) MPI_Request_free(&sends[i]);
  return sum / kCalls;
}

static double least(double (*measure)(void)) {
  double best = measure();
  for (int i = 1; i < kRepetitions; ++i) {
    const double time = measure();
    if (time < best) best = time;
  }
  return best;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double times[] = {least(null_send), least(partner), least(pingpong), least(start), least(barrier)};
  const char* names[] = {"null", "partner", "pingpong", "start", "barrier"};
  for (int i = 0; rank == 0 && i < 5; ++i) printf("%s %.1f\n", names[i], times[i]);
  const int lengths[] = {1, 16, 40, kMost};
  for (int i = 0; i < kMost; ++i) MPI_Comm_dup(MPI_COMM_SELF, &communicators[i]);
  for (int i = 0; i < 4; ++i) {
    round_length = lengths[i];
    const double messages = least(self), persistent = least(starts);
    if (rank == 0) printf("self-%d %.1f\nstarts-%d %.1f\n", round_length, messages, round_length, persistent);
  }
  for (int i = 0; i < kMost; ++i) MPI_Comm_free(&communicators[i]);
  if (open_gpu()) {
    const double on_host = least(host), on_gpu = least(gpu);
    if (rank == 0) printf("host %.1f\ngpu %.1f\n", on_host, on_gpu);
  }
  MPI_Finalize();
  return 0;
}
