/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual topologies in jobs of several programs, and of communicators that were reordered:  topology_jobs WAY [COLOR]
 *
 * WAY  whole    pairs of all processes
 *      part     pairs of the processes of COLOR 0, which may be those of one program of several in the job
 *      spawned  starts two processes that run without topowise; pairs of the first processes, and of all
 *      nested   pairs, and pairs of a copy of their communicator, which then exchange data;
 *               prints "apart N": how many vertices of the inner communicator are on another host than their partners
 *      empty    a grid of no dimensions, a graph of no vertices
 *
 * Vertex v talks to v + n/2. Prints "moved N": how many processes got another rank. Exit status 1 if anything is not as
 * MPI says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corner_checks.h"

static MPI_Comm pairs(MPI_Comm comm) {
  MPI_Comm made = graph_pairs(comm);
  const int vertex = rank_in(made), n = size_of(comm);
  int got = -1;
  MPI_Neighbor_allgather(&vertex, 1, MPI_INT, &got, 1, MPI_INT, made);
  check(got == partner_of(vertex, n), "MPI_Neighbor_allgather");
  moved += vertex != rank_in(comm);
  return made;
}

static void of_edges(MPI_Comm comm) {
  const int partner = partner_of(rank_in(comm), size_of(comm));
  int got = -1;
  MPI_Comm made;
  MPI_Dist_graph_create_adjacent(comm, 1, &partner, MPI_UNWEIGHTED, 1, &partner, MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                                 &made);
  const int vertex = rank_in(made);
  MPI_Neighbor_allgather(&vertex, 1, MPI_INT, &got, 1, MPI_INT, made);
  check(got == partner_of(vertex, size_of(comm)), "MPI_Neighbor_allgather of edges");
  MPI_Comm_free(&made);
}

static void part(int color) {
  MPI_Comm own, made;
  MPI_Comm_split(MPI_COMM_WORLD, color, rank, &own);
  if (color == 0) {
    made = pairs(own);
    MPI_Comm_free(&made);
    of_edges(own);
  }
  MPI_Comm_free(&own);
}

static void spawned(char* program, MPI_Comm parents) {
  char way[] = "spawned", *words[] = {way, NULL};
  MPI_Comm between = parents, all, made;
  if (parents == MPI_COMM_NULL) {
    unsetenv("LD_PRELOAD");
    made = pairs(MPI_COMM_WORLD);
    MPI_Comm_free(&made);
    MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
  }
  MPI_Intercomm_merge(between, parents != MPI_COMM_NULL, &all);
  of_edges(all);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
}

static void nested(void) {
  enum { kBytes = 100000 };
  static char sent[kBytes], got[kBytes], names[64][64];
  MPI_Comm outer = pairs(MPI_COMM_WORLD), copy, inner;
  MPI_Comm_dup(outer, &copy);
  inner = pairs(copy);
  const int vertex = rank_in(inner), n = size_of(inner), partner = partner_of(vertex, n);
  char name[64] = "";
  gethostname(name, sizeof(name) - 1);
  MPI_Sendrecv(sent, kBytes, MPI_BYTE, partner, 0, got, kBytes, MPI_BYTE, partner, 0, inner, MPI_STATUS_IGNORE);
  MPI_Allgather(name, sizeof(name), MPI_CHAR, names, sizeof(name), MPI_CHAR, inner);
  int apart = 0;
  for (int v = 0; v < n; ++v) apart += strcmp(names[v], names[partner_of(v, n)]) != 0;
  if (vertex == 0) printf("apart %d\n", apart);
  MPI_Comm_free(&inner);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&outer);
}

static void empty(void) {
  const int none[1] = {0};
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 0, none, none, 1, &made);
  check(made == MPI_COMM_NULL || size_of(made) == 1, "a grid of no dimensions");
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  MPI_Graph_create(MPI_COMM_WORLD, 0, none, none, 1, &made);
  check(made == MPI_COMM_NULL, "a graph of no vertices");
}

int main(int count, char** words) {
  const char* way = count > 1 ? words[1] : "whole";
  MPI_Comm parents;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_get_parent(&parents);
  if (strcmp(way, "whole") == 0) {
    MPI_Comm made = pairs(MPI_COMM_WORLD);
    MPI_Comm_free(&made);
    of_edges(MPI_COMM_WORLD);
  }
  if (strcmp(way, "part") == 0) part(count > 2 ? atoi(words[2]) : 0);
  if (strcmp(way, "spawned") == 0) spawned(words[0], parents);
  if (strcmp(way, "nested") == 0) nested();
  if (strcmp(way, "empty") == 0) empty();
  int of_all[2] = {0, 0}, own[2] = {failures, moved};
  MPI_Allreduce(own, of_all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && parents == MPI_COMM_NULL) printf("moved %d\n", of_all[1]);
  MPI_Finalize();
  return of_all[0] != 0;
}
