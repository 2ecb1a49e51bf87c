/* SPDX-License-Identifier: BSD-3-Clause */
/* Corners of MPI's topology functions:  topology_corners WAY [KIND]
 *
 * WAY  communicators  of parts of the job: one inside another, one after another, one of a single process
 *      threads        two threads make one communicator each at the same time
 *      shapes         vertices without neighbours, several edges of a pair, edges of a vertex to itself
 *      collectives    every form of the neighbourhood collectives
 *      objects        attributes, error handlers, names, info and kinds of topologies
 *      maps           MPI_Graph_map, and a communicator made of its answer
 *      disagree       the processes pass different arguments, as KIND says (several with commas): reorder,
 *                     extents, edges, cells, vertices
 *      inter          on an intercommunicator
 *      grid           with extents KIND, as 4x2; prints nothing more
 *      dies           rank 1 is killed while the others are inside the call. KIND is a file that describes the network:
 *                     rank 0 puts a pipe in its place and is killed two seconds later, while it waits to read it
 *      weights        each vertex v sends much to v + n/2 and little to the next one; its graph has no weights;
 *                     prints "apart N": how many vertices are on another host than v + n/2
 *      goes_on        on a ring, as KIND:
 *                       aware        asks for its new rank
 *                       shift        asks for its neighbours only
 *                       blind        asks for nothing
 *                       coordinates  asks for those of its old rank
 *                       old          sends to its old neighbours in the old communicator
 *                       copies       sends its data once in the old communicator, then is aware
 *
 * Wherever possible, vertex v talks to v + n/2: ranks that are placed in blocks gain from another order.
 * Prints "moved N": how often a process got another rank than before. Exit status 1 if anything is not as MPI says. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "corner_checks.h"
#include "neighbor_forms.h"

static MPI_Comm adjacent_pairs(MPI_Comm comm) {
  MPI_Comm made;
  const int partner = partner_of(rank_in(comm), size_of(comm)), weight = 1;
  MPI_Dist_graph_create_adjacent(comm, 1, &partner, &weight, 1, &partner, &weight, MPI_INFO_NULL, 1, &made);
  return made;
}

/* The ranks that the topology names are those that answer, by rank and in collectives. */
static void check_pairs(MPI_Comm comm, MPI_Comm old) {
  const int vertex = rank_in(comm), partner = partner_of(vertex, size_of(comm));
  int got = -1, sent = vertex;
  MPI_Neighbor_allgather(&vertex, 1, MPI_INT, &got, 1, MPI_INT, comm);
  check(got == partner, "MPI_Neighbor_allgather");
  MPI_Sendrecv(&sent, 1, MPI_INT, partner, 1, &got, 1, MPI_INT, partner, 1, comm, MPI_STATUS_IGNORE);
  check(got == partner, "MPI_Sendrecv");
  if (old != MPI_COMM_NULL && vertex != rank_in(old)) ++moved;
}

static void parts(void) {
  MPI_Comm half, pairs, again;
  MPI_Comm_split(MPI_COMM_WORLD, rank / (ranks / 2), rank, &half);
  pairs = adjacent_pairs(half);
  check_pairs(pairs, half);
  again = graph_pairs(pairs);
  check_pairs(again, pairs);
  MPI_Comm_free(&pairs);
  check_pairs(again, MPI_COMM_NULL);
  MPI_Comm_free(&again);
  MPI_Comm_free(&half);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &half);
  pairs = graph_pairs(half);
  check_pairs(pairs, half);
  MPI_Comm_free(&pairs);
  MPI_Comm_free(&half);
}

static void one_after_another(void) {
  enum { kMany = 12 };
  MPI_Comm made[kMany];
  for (int i = 0; i < kMany; ++i) {
    made[i] = i % 3 == 0 ? graph_pairs(MPI_COMM_WORLD) : adjacent_pairs(MPI_COMM_WORLD);
    if (i % 2 == 1) MPI_Comm_free(&made[i - 1]);
  }
  for (int i = 1; i < kMany; i += 2) {
    check_pairs(made[i], MPI_COMM_WORLD);
    MPI_Comm_free(&made[i]);
  }
}

static void derived(void) {
  MPI_Comm pairs = adjacent_pairs(MPI_COMM_WORLD), copy, part;
  const int vertex = rank_in(pairs);
  MPI_Comm_dup(pairs, &copy);
  MPI_Comm_split(pairs, vertex % 2, vertex, &part);
  MPI_Comm_free(&pairs);
  check(rank_in(copy) == vertex, "rank in a copy");
  check_pairs(copy, MPI_COMM_WORLD);
  check(rank_in(part) == vertex / 2 && size_of(part) == ranks / 2, "MPI_Comm_split");
  MPI_Comm_free(&copy);
  MPI_Comm_free(&part);
}

static void alone(void) {
  const int index = 2, edges[2] = {0, 0};
  int got[2] = {-1, -1}, sent = 7;
  MPI_Comm self;
  MPI_Graph_create(MPI_COMM_SELF, 1, &index, edges, 1, &self);
  MPI_Neighbor_allgather(&sent, 1, MPI_INT, got, 1, MPI_INT, self);
  check(got[0] == 7 && got[1] == 7, "a graph of one vertex");
  MPI_Comm_free(&self);
}

static void* make_many(void* comm) {
  for (int i = 0; i < 5; ++i) {
    MPI_Comm pairs = i % 2 == 0 ? adjacent_pairs(*(MPI_Comm*)comm) : graph_pairs(*(MPI_Comm*)comm);
    const int vertex = rank_in(pairs), partner = partner_of(vertex, ranks);
    int got = -1;
    MPI_Neighbor_allgather(&vertex, 1, MPI_INT, &got, 1, MPI_INT, pairs);
    if (got != partner) return "a neighbour in a thread's communicator";
    MPI_Comm_free(&pairs);
  }
  return NULL;
}

static void threads(int provided) {
  if (provided != MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("no threads\n");
    return;
  }
  MPI_Comm comms[2];
  pthread_t started[2];
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < 2; ++i) pthread_create(&started[i], NULL, make_many, &comms[i]);
  for (int i = 0; i < 2; ++i) {
    void* wrong;
    pthread_join(started[i], &wrong);
    check(wrong == NULL, wrong);
    MPI_Comm_free(&comms[i]);
  }
}

/* Pair v, v + n/2 has two edges each way, of weights 3 and 5, and each vertex an edge to itself; but vertices 1 and
 * 1 + n/2 have no neighbours at all. */
static void shapes(void) {
  const int lonely = rank % (ranks / 2) == 1, degree = lonely ? 0 : 3, partner = partner_of(rank, ranks);
  const int list[3] = {partner, rank, partner}, weights[3] = {3, 7, 5};
  const int* given = lonely ? MPI_WEIGHTS_EMPTY : weights;
  MPI_Comm made;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, list, given, degree, list, given, MPI_INFO_NULL, 1, &made);
  const int vertex = rank_in(made), other = partner_of(vertex, ranks), plays_lonely = vertex % (ranks / 2) == 1;
  int in = -1, out = -1, weighted = 0, sources[3], source_weights[3], to[3], to_weights[3], got[3] = {-1, -1, -1};
  MPI_Dist_graph_neighbors_count(made, &in, &out, &weighted);
  check(weighted && in == (plays_lonely ? 0 : 3) && out == in, "degrees");
  /* The count must be exact: MPICH copies as many as are asked for. */
  MPI_Dist_graph_neighbors(made, in, sources, source_weights, out, to, to_weights);
  for (int i = 0; i < in; ++i) {
    check(sources[i] == (i == 1 ? vertex : other) && to[i] == sources[i], "neighbours in their order");
    check(source_weights[i] == weights[i] && to_weights[i] == weights[i], "weights in their order");
  }
  const int sent[3] = {10 * vertex, 10 * vertex + 1, 10 * vertex + 2};
  MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, made);
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
  /* Here MPICH mixes up the edges of a pair. */
  if (in == 3) check(got[0] + got[2] == 20 * other + 2, "several edges of a pair");
#else
  for (int i = 0; i < in; ++i) check(got[i] == 10 * (i == 1 ? vertex : other) + i, "several edges of a pair");
#endif
  moved += vertex != rank;
  MPI_Comm_free(&made);
}

static void collectives(void) {
  const int step = ranks / 2 + 1, list[2] = {(rank + ranks - step) % ranks, (rank + step) % ranks};
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, list, MPI_UNWEIGHTED, 2, list, MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                                 &ring);
  collectives_on(ring);
  moved += rank_in(ring) != rank;
  MPI_Comm_free(&ring);
  int *index = malloc((size_t)ranks * sizeof(int)), *edges = malloc((size_t)ranks * 2 * sizeof(int));
  for (int v = 0; v < ranks; ++v) {
    index[v] = 2 * v + 2;
    edges[2 * v] = (v + ranks - step) % ranks;
    edges[2 * v + 1] = (v + step) % ranks;
  }
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 1, &ring);
  collectives_on(ring);
  MPI_Comm_free(&ring);
  free(index);
  free(edges);
}

static int copies = 0;
static int count_copies(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  ++copies;
  *flag = 0;
  return MPI_SUCCESS;
}

static void objects(void) {
  MPI_Comm parent, pairs, grid;
  MPI_Errhandler handler;
  MPI_Info info;
  int key, flag, kind, length;
  char name[MPI_MAX_OBJECT_NAME];
  void* value;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
  MPI_Comm_set_name(parent, "parent");
  MPI_Comm_create_keyval(count_copies, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(parent, key, &key);
  MPI_Info_create(&info);
  MPI_Info_set(info, "unheard_of", "1");
  const int partner = partner_of(rank, ranks), extents[2] = {ranks / 2, 2}, periodic[2] = {0, 0};
  MPI_Dist_graph_create_adjacent(parent, 1, &partner, MPI_UNWEIGHTED, 1, &partner, MPI_UNWEIGHTED, info, 1, &pairs);
  MPI_Cart_create(parent, 2, extents, periodic, 1, &grid);
  const MPI_Comm all[2] = {pairs, grid};
  const int kinds[2] = {MPI_DIST_GRAPH, MPI_CART};
  for (int i = 0; i < 2; ++i) {
    MPI_Topo_test(all[i], &kind);
    check(kind == kinds[i], "MPI_Topo_test");
    MPI_Comm_get_attr(all[i], key, &value, &flag);
    check(!flag && copies == 0, "an attribute came along");
    MPI_Comm_get_name(all[i], name, &length);
    check(strcmp(name, "parent") != 0, "the name came along");
    MPI_Comm_set_name(all[i], "new");
    MPI_Comm_get_name(all[i], name, &length);
    check(strcmp(name, "new") == 0, "a new name");
    MPI_Comm_get_errhandler(all[i], &handler);
    check(handler == MPI_ERRORS_RETURN, "the error handler is the parent's");
    MPI_Errhandler_free(&handler);
    int relation;
    MPI_Comm_compare(all[i], parent, &relation);
    check(relation == (rank == rank_in(parent) && relation == MPI_CONGRUENT ? MPI_CONGRUENT : MPI_SIMILAR),
          "the same processes");
  }
  int cells[2], wraps[2], place[2], at;
  MPI_Cart_get(grid, 2, cells, wraps, place);
  MPI_Cart_rank(grid, place, &at);
  check(cells[0] == extents[0] && !wraps[0] && !wraps[1] && at == rank_in(grid), "MPI_Cart_get");
  MPI_Comm_get_info(pairs, &info);
  check(info != MPI_INFO_NULL, "MPI_Comm_get_info");
  MPI_Info_free(&info);
  moved += rank_in(pairs) != rank;
  MPI_Comm_free(&pairs);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&parent);
  MPI_Comm_free_keyval(&key);
}

static void maps(void) {
  const int n = ranks - 2;
  int *index = malloc((size_t)n * sizeof(int)), *edges = malloc((size_t)n * sizeof(int)), vertex = -5, cell = -5;
  for (int v = 0; v < n; ++v) {
    index[v] = v + 1;
    edges[v] = partner_of(v, n);
  }
  MPI_Graph_map(MPI_COMM_WORLD, n, index, edges, &vertex);
  MPI_Comm pairs;
  MPI_Comm_split(MPI_COMM_WORLD, vertex == MPI_UNDEFINED ? MPI_UNDEFINED : 0, vertex, &pairs);
  int plays = vertex != MPI_UNDEFINED, all = 0;
  MPI_Allreduce(&plays, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(all == n, "as many vertices as MPI_Graph_map was given");
  check(!plays || rank_in(pairs) == vertex, "vertices are numbered from 0");
  moved += plays && vertex != rank;
  if (plays) MPI_Comm_free(&pairs);
  const int extents[2] = {n / 2, 2}, periodic[2] = {1, 1};
  MPI_Cart_map(MPI_COMM_WORLD, 2, extents, periodic, &cell);
  check(cell == MPI_UNDEFINED || (cell >= 0 && cell < n), "MPI_Cart_map");
  plays = cell != MPI_UNDEFINED;
  MPI_Allreduce(&plays, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(all == n, "as many cells as MPI_Cart_map was given");
  free(index);
  free(edges);
}

/* Every process prints the result of its call; the test compares them. */
static void tell(int status, MPI_Comm made) {
  int kind = 0, size = -1;
  if (status != MPI_SUCCESS) MPI_Error_class(status, &kind);
  if (status == MPI_SUCCESS && made != MPI_COMM_NULL) size = size_of(made);
  char line[80];
  snprintf(line, sizeof(line), "rank %d: error class %d, size %d\n", rank, kind, size);
  fputs(line, stdout);
  fflush(stdout);
}

static void disagree(const char* kind) {
  const int odd = rank == 3;
  MPI_Comm comm, made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int periodic[2] = {0, 0};
  int extents[2] = {ranks / 2, 2}, status, *index = malloc((size_t)ranks * sizeof(int)),
      *edges = malloc((size_t)ranks * sizeof(int)), n = ranks, reorder = 1;
  if (strcmp(kind, "extents") == 0 && odd) extents[0] = 2, extents[1] = ranks / 2;
  if (strcmp(kind, "cells") == 0 && odd) extents[0] = 2 * ranks;
  if (strcmp(kind, "reorder") == 0 && odd) reorder = 0;
  if (strcmp(kind, "vertices") == 0 && odd) n -= 2;
  for (int v = 0; v < n; ++v) {
    index[v] = v + 1;
    edges[v] = strcmp(kind, "edges") == 0 && odd ? (v + 1) % n : partner_of(v, n);
  }
  if (strcmp(kind, "extents") == 0 || strcmp(kind, "cells") == 0)
    status = MPI_Cart_create(comm, 2, extents, periodic, reorder, &made);
  else
    status = MPI_Graph_create(comm, n, index, edges, reorder, &made);
  tell(status, made);
  if (status == MPI_SUCCESS) {
    moved += rank_in(made) != rank;
    MPI_Comm_free(&made);
  }
  MPI_Comm_free(&comm);
  free(index);
  free(edges);
}

static void inter(void) {
  MPI_Comm half, across, made = MPI_COMM_NULL;
  const int side = rank / (ranks / 2), extents[1] = {ranks / 2}, periodic[1] = {0};
  MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side == 0 ? ranks / 2 : 0, 5, &across);
  MPI_Comm_set_errhandler(across, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* Open MPI raises the error there */
  tell(MPI_Cart_create(across, 1, extents, periodic, 1, &made), MPI_COMM_NULL);
  MPI_Comm_free(&across);
  MPI_Comm_free(&half);
}

static void weights(void) {
  enum { kMuch = 100000 };
  static char out[kMuch], in[kMuch], names[64][64];
  int index[64], edges[192];
  for (int v = 0; v < ranks; ++v) {
    index[v] = 3 * v + 3;
    edges[3 * v] = (v + 1) % ranks;
    edges[3 * v + 1] = (v + ranks - 1) % ranks;
    edges[3 * v + 2] = partner_of(v, ranks);
  }
  MPI_Comm made;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 1, &made);
  const int vertex = rank_in(made), partner = partner_of(vertex, ranks);
  MPI_Sendrecv(out, kMuch, MPI_BYTE, partner, 0, in, kMuch, MPI_BYTE, partner, 0, made, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 8, MPI_BYTE, (vertex + 1) % ranks, 1, in, 8, MPI_BYTE, (vertex + ranks - 1) % ranks, 1, made,
               MPI_STATUS_IGNORE);
  char name[64] = "";
  gethostname(name, sizeof(name) - 1);
  MPI_Allgather(name, sizeof(name), MPI_CHAR, names, sizeof(name), MPI_CHAR, made);
  int apart = 0;
  for (int v = 0; v < ranks; ++v) apart += strcmp(names[v], names[partner_of(v, ranks)]) != 0;
  if (rank == 0) printf("apart %d\n", apart);
  moved += vertex != rank;
  MPI_Comm_free(&made);
}

static int to_and_from(int destination, int source, MPI_Comm comm) {
  int sent = rank, got = -1;
  MPI_Sendrecv(&sent, 1, MPI_INT, destination, 2, &got, 1, MPI_INT, source, 2, comm, MPI_STATUS_IGNORE);
  return got;
}

/* A ring in steps of n/2 + 1: with ranks in blocks, every neighbour is on another host. */
static void goes_on(const char* kind) {
  const int step = ranks / 2 + 1, extents[1] = {ranks}, periodic[1] = {1};
  const int list[2] = {(rank + ranks - step) % ranks, (rank + step) % ranks};
  MPI_Comm made;
  int place[1], before, behind, got[2], old_rank = rank;
  if (strcmp(kind, "coordinates") == 0 || strcmp(kind, "shift") == 0) {
    MPI_Comm cyclic; /* a ring of neighbours whose ranks go round the hosts */
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank % 2 * ranks + rank, &cyclic);
    old_rank = rank_in(cyclic);
    MPI_Cart_create(cyclic, 1, extents, periodic, 1, &made);
    if (strcmp(kind, "coordinates") == 0) MPI_Cart_coords(made, old_rank, 1, place);
    MPI_Cart_shift(made, 0, 1, &before, &behind);
    to_and_from(behind, before, made);
    MPI_Comm_free(&cyclic);
  } else {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, list, MPI_UNWEIGHTED, 2, list, MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                                   &made);
    const int rounds = strcmp(kind, "old") == 0 ? 3 : strcmp(kind, "copies") == 0 ? 1 : 0;
    for (int i = 0; i < 2 * rounds; ++i) to_and_from(list[i % 2], list[1 - i % 2], MPI_COMM_WORLD);
    if (strcmp(kind, "aware") == 0 || rounds == 1) rank_in(made);
    if (rounds < 2) MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, made);
    for (int i = 0; i < 4; ++i) to_and_from(list[1], list[0], MPI_COMM_WORLD);
  }
  moved += rank_in(made) != old_rank;
  MPI_Comm_free(&made);
}

static void grid(const char* text) {
  int extents[2] = {0, 0}, periodic[2] = {0, 0};
  MPI_Comm made;
  sscanf(text, "%dx%d", &extents[0], &extents[1]);
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periodic, 1, &made);
  moved += rank_in(made) != rank;
  MPI_Comm_free(&made);
}

static void dies(const char* description) {
  const int maps = description[0] != '\0';
  MPI_Barrier(MPI_COMM_WORLD); /* by now every process has started and has read the description */
  if (rank == 1 && !maps) raise(SIGKILL);
  if (rank == 0 && maps) {
    check(unlink(description) == 0 && mkfifo(description, 0600) == 0, "a pipe in place of the description");
    alarm(2);
  }
  MPI_Comm made = adjacent_pairs(MPI_COMM_WORLD);
  MPI_Barrier(made);
}

int main(int count, char** words) {
  const char *way = count > 1 ? words[1] : "communicators", *kind = count > 2 ? words[2] : "";
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&count, &words, strcmp(way, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(way, "communicators") == 0) parts(), one_after_another(), derived(), alone();
  if (strcmp(way, "threads") == 0) threads(provided);
  if (strcmp(way, "shapes") == 0) shapes();
  if (strcmp(way, "collectives") == 0) collectives();
  if (strcmp(way, "objects") == 0) objects();
  if (strcmp(way, "maps") == 0) maps();
  for (char* next = strcmp(way, "disagree") == 0 && count > 2 ? strtok(words[2], ",") : NULL; next;
       next = strtok(NULL, ","))
    disagree(next);
  if (strcmp(way, "inter") == 0) inter();
  if (strcmp(way, "dies") == 0) dies(kind);
  if (strcmp(way, "grid") == 0) grid(kind);
  if (strcmp(way, "weights") == 0) weights();
  if (strcmp(way, "goes_on") == 0) goes_on(kind);
  int of_all[2] = {0, 0}, own[2] = {failures, moved};
  MPI_Allreduce(own, of_all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("moved %d\n", of_all[1]);
  MPI_Finalize();
  return of_all[0] != 0;
}
