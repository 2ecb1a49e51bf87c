/* SPDX-License-Identifier: BSD-3-Clause */
/* Every form of the neighbourhood collectives, on a ring. */
#pragma once

#include <mpi.h>
#include <string.h>

#include "corner_checks.h"

/* Neighbour i of vertex v gets count(v, i) numbers, all of them `of(v, i)`. */
static int count_of(int vertex, int i) {
  return 1 + (vertex + i) % 3;
}

typedef struct {
  int sent[12], got[12], out_counts[4], in_counts[4], out_at[4], in_at[4];
  MPI_Aint out_bytes[4], in_bytes[4];
  MPI_Datatype types[4];
} Halo;

/* In a ring of n vertices: neighbour 0 is the one before, 1 the one behind, which has this one as its 1 and 0. */
static void fill(Halo* halo, int vertex, int before, int behind) {
  const int others[2] = {before, behind};
  for (int i = 0; i < 2; ++i) {
    halo->out_counts[i] = count_of(vertex, i);
    halo->in_counts[i] = count_of(others[i], 1 - i);
    halo->out_at[i] = halo->in_at[i] = 6 * i;
    halo->out_bytes[i] = halo->in_bytes[i] = 6 * i * (MPI_Aint)sizeof(int);
    halo->types[i] = MPI_INT;
    for (int k = 0; k < 6; ++k) halo->sent[6 * i + k] = 100 * vertex + i;
  }
  memset(halo->got, -1, sizeof(halo->got));
}

static void expect(Halo* halo, int before, int behind, int equal, int gathered, const char* what) {
  const int others[2] = {before, behind};
  for (int i = 0; i < 2; ++i) {
    const int count = equal ? 1 : halo->in_counts[i], at = equal ? i : halo->in_at[i];
    const int value = 100 * others[i] + (gathered ? 0 : 1 - i);
    for (int k = 0; k < count; ++k) check(halo->got[at + k] == value, what);
  }
  memset(halo->got, -1, sizeof(halo->got));
}

#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5)
#define PERSISTENT(name, ...) MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request)
#elif defined(OPEN_MPI)
#include <mpi-ext.h>
#define PERSISTENT(name, ...) MPIX_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request)
#endif

static void wait_for(MPI_Request* request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* `arguments` once blocking, once nonblocking, twice persistent. */
#define ALL_FORMS(name, iname, equal, gathered, ...)        \
  do {                                                      \
    MPI_Request request;                                    \
    MPI_##name(__VA_ARGS__);                                \
    expect(&halo, before, behind, equal, gathered, #name);  \
    MPI_##iname(__VA_ARGS__, &request);                     \
    wait_for(&request);                                     \
    expect(&halo, before, behind, equal, gathered, #iname); \
    PERSISTENT_FORM(name, equal, gathered, __VA_ARGS__);    \
  } while (0)
#ifdef PERSISTENT
#define PERSISTENT_FORM(name, equal, gathered, ...)                \
  PERSISTENT(name, __VA_ARGS__);                                   \
  for (int round = 0; round < 2; ++round) {                        \
    MPI_Start(&request);                                           \
    wait_for(&request);                                            \
    expect(&halo, before, behind, equal, gathered, #name "_init"); \
  }                                                                \
  MPI_Request_free(&request)
#else
#define PERSISTENT_FORM(name, equal, gathered, ...) (void)0
#endif

static void collectives_on(MPI_Comm comm) {
  const int vertex = rank_in(comm), n = size_of(comm);
  /* The ring goes in steps of n/2 + 1 modulo n, or of n/2 - 1: both leave the blocks. */
  const int step = n / 2 + 1, behind = (vertex + step) % n, before = (vertex + n - step) % n;
  Halo halo;
  fill(&halo, vertex, before, behind);
  ALL_FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, 0, 0, halo.sent, halo.out_counts, halo.out_at, MPI_INT, halo.got,
            halo.in_counts, halo.in_at, MPI_INT, comm);
  ALL_FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, 0, 0, halo.sent, halo.out_counts, halo.out_bytes, halo.types,
            halo.got, halo.in_counts, halo.in_bytes, halo.types, comm);
  halo.sent[1] = halo.sent[6];
  ALL_FORMS(Neighbor_alltoall, Ineighbor_alltoall, 1, 0, halo.sent, 1, MPI_INT, halo.got, 1, MPI_INT, comm);
  ALL_FORMS(Neighbor_allgather, Ineighbor_allgather, 1, 1, halo.sent, 1, MPI_INT, halo.got, 1, MPI_INT, comm);
  const int one[2] = {1, 1}, at[2] = {0, 1};
  ALL_FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, 1, 1, halo.sent, 1, MPI_INT, halo.got, one, at, MPI_INT, comm);
}
