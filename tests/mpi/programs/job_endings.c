// SPDX-License-Identifier: BSD-3-Clause
// Rank r sends 1000 bytes to rank r + 1, and then something special happens:
//   job_endings finalize|kill|abort|leave|pcontrol|threads|spawn|sessions
//   job_endings session_around   also opens a session, which begins before MPI_Init and ends after MPI_Finalize
//   job_endings late FIFO        all but the last rank enter MPI_Finalize; the last one waits first, as below
//   job_endings limit            no file may grow beyond 4096 bytes from MPI_Init on
//   job_endings deaf             standard error is a pipe that nobody reads
//   job_endings wait FIFO        rank 0 says that it waits, and waits until some process opens FIFO to write
#include <mpi.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { kBytes = 1000, kThreads = 4, kMessages = 500 };

static int rank, ranks;
static char out[kBytes], in[kBytes];

static void around(MPI_Comm comm, int bytes) {
  int me, size;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv(out, bytes, MPI_BYTE, (me + 1) % size, 0, in, bytes, MPI_BYTE, (me + size - 1) % size, 0, comm,
               MPI_STATUS_IGNORE);
}

/// Each thread sends kMessages messages of 8 bytes to the next rank.
static void* send_many(void* number) {
  const int tag = 100 + (int)(size_t)number;
  char from[8] = {0}, to[8];
  for (int i = 0; i < kMessages; ++i) {
    MPI_Request request;
    MPI_Irecv(to, 8, MPI_BYTE, (rank + ranks - 1) % ranks, tag, MPI_COMM_WORLD, &request);
    MPI_Send(from, 8, MPI_BYTE, (rank + 1) % ranks, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return NULL;
}

static void threads(void) {
  pthread_t started[kThreads];
  for (size_t i = 0; i < kThreads; ++i) pthread_create(&started[i], NULL, send_many, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(started[i], NULL);
}

static void pcontrol(void) {
  MPI_Pcontrol(0);
  around(MPI_COMM_WORLD, 7);
  MPI_Pcontrol(1);
  around(MPI_COMM_WORLD, 20);
}

/// Ends the connection when all processes of both sides have made it. MPI_Comm_disconnect does not wait for that in
/// MPICH 5, where a process cannot connect to one that has ended.
static void disconnect(MPI_Comm* others) {
  MPI_Barrier(*others);
  MPI_Comm_disconnect(others);
}

/// Spawns two children; rank 0 sends 50 bytes to each child, and each child sends 60 back.
static void spawn(const char* program) {
  MPI_Comm children;
  char* arguments[] = {"child", NULL};
  MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  for (int child = 0; rank == 0 && child < 2; ++child) {
    MPI_Send(out, 50, MPI_BYTE, child, 3, children);
    MPI_Recv(in, 60, MPI_BYTE, child, 4, children, MPI_STATUS_IGNORE);
  }
  disconnect(&children);
}

static void child(void) {
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  MPI_Recv(in, 50, MPI_BYTE, 0, 3, parent, MPI_STATUS_IGNORE);
  MPI_Send(out, 60, MPI_BYTE, 0, 4, parent);
  disconnect(&parent);
}

#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5)
static void world(void) {
  MPI_Init(NULL, NULL);
  around(MPI_COMM_WORLD, kBytes);
  MPI_Finalize();
}

/// Opens a session: without any MPI_Init, or with MPI_Init within the session.
static int sessions(const char* way) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  if (strcmp(way, "session_around") == 0) world();
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "topowise", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  around(comm, kBytes);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  return 0;
}
#else
static int sessions(const char* way) {
  (void)way;
  printf("no sessions\n");
  return 0;
}
#endif

static void wait_for_writer(const char* fifo) {
  printf("waiting\n");
  fflush(stdout);
  FILE* opened = fopen(fifo, "r");
  if (opened != NULL) fclose(opened);
}

static void limit_file_size(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 4096;
  setrlimit(RLIMIT_FSIZE, &limit);
}

static void break_standard_error(void) {
  int ends[2];
  if (pipe(ends) != 0) abort();
  close(ends[0]);
  signal(SIGPIPE, SIG_DFL);
  dup2(ends[1], STDERR_FILENO);
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "finalize";
  int provided;
  if (strncmp(way, "session", 7) == 0) return sessions(way);
  if (strcmp(way, "deaf") == 0) break_standard_error();
  MPI_Init_thread(&argc, &argv, strcmp(way, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(way, "limit") == 0) limit_file_size();
  around(MPI_COMM_WORLD, kBytes);
  if (strcmp(way, "threads") == 0 && provided == MPI_THREAD_MULTIPLE) threads();
  if (strcmp(way, "threads") == 0 && provided != MPI_THREAD_MULTIPLE && rank == 0) printf("no threads\n");
  if (strcmp(way, "pcontrol") == 0) pcontrol();
  if (strcmp(way, "spawn") == 0) spawn(argv[0]);
  if (strcmp(way, "child") == 0) child();
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(way, "kill") == 0 && rank == 1) raise(SIGKILL);
  if (strcmp(way, "kill") == 0) pause();
  if (strcmp(way, "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(way, "abort") == 0) pause();
  if (strcmp(way, "leave") == 0) _exit(0);
  if (strcmp(way, "wait") == 0 && rank == 0) wait_for_writer(argv[2]);
  if (strcmp(way, "wait") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(way, "late") == 0 && rank == ranks - 1) wait_for_writer(argv[2]);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  MPI_Finalize();
  if (rank == 0) printf("%s\ndone\n", version);
  return 0;
}
