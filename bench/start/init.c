/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures how long a job takes until MPI_Init has returned:
 *
 *   init begin COMMAND...   notes the time and becomes the command, so that all that runs before the program counts
 *   init                    the program
 *
 * Prints milliseconds: of MPI_Init in the slowest process; from the start of the first command to the last return of
 * MPI_Init; and of processor time of all processes together by then, including their children. The clock is that of
 * one machine, so hosts must be simulated on it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char kBegin[] = "TOPOWISE_BENCH_BEGIN";

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds(struct timeval time) {
  return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static double processor(void) {
  double spent = 0;
  const int whose[2] = {RUSAGE_SELF, RUSAGE_CHILDREN};
  for (int i = 0; i < 2; ++i) {
    struct rusage usage;
    getrusage(whose[i], &usage);
    spent += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return spent;
}

int main(int count, char** words) {
  if (count > 2 && strcmp(words[1], "begin") == 0) {
    char text[32];
    snprintf(text, sizeof text, "%.9f", now());
    setenv(kBegin, text, 1);
    execvp(words[2], words + 2);
    perror(words[2]);
    return 127;
  }
  const char* noted = getenv(kBegin);
  const double before = now(), begin = noted != NULL ? strtod(noted, NULL) : before;
  MPI_Init(&count, &words);
  const double after = now();
  /* The maximum of negative values gives the minimum. */
  const double own[3] = {after - before, after, -begin}, busy = processor();
  double most[3], all = 0;
  MPI_Reduce(own, most, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&busy, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("init %.3f start %.3f processor %.3f\n", 1e3 * most[0], 1e3 * (most[1] + most[2]), 1e3 * all);
  MPI_Finalize();
  return 0;
}
