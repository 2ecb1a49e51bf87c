// SPDX-License-Identifier: BSD-3-Clause
// For test programs that call a GPU driver: a call that fails ends the job.
#pragma once

#include <mpi.h>
#include <stdio.h>

static int rank, ranks;

static void fail(const char* what, int code) {
  fprintf(stderr, "rank %d: %s: %d\n", rank, what, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

#define CHECK(call)                     \
  do {                                  \
    const int code_ = (call);           \
    if (code_ != 0) fail(#call, code_); \
  } while (0)
