/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that all of MPI agrees on the ranks of the processes in MPI_COMM_WORLD:  world_order WAY [FILE]
 *
 * WAY  pairs       rank r sends much to r + n/2 and little to its neighbour: for a recording
 *      messages    of all kinds
 *      groups      and communicators of all kinds
 *      windows
 *      files       MPI-IO into FILE
 *      belongings  attributes, names, error handlers
 *      all         messages, groups, files and belongings
 *      spawn       MPI_Comm_spawn: the children see the ranks of their parents
 *      past        asks PMPI_Comm_rank, which no preloaded library sees (only if compiled with -DPAST)
 *
 * Prints "RANK PROCESS HOST" for every rank; PROCESS is the launcher's number. Exit status 1 if anything disagrees. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures = 0, rank = -1, ranks = 0;

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  ++failures;
}

static int rank_in(MPI_Comm comm) {
  int here = -1;
  MPI_Comm_rank(comm, &here);
  return here;
}

static void pairs(void) {
  static char data[20000];
  const int partner = (rank + ranks / 2) % ranks;
  MPI_Sendrecv(data, 10000, MPI_BYTE, partner, 0, data + 10000, 10000, MPI_BYTE, partner, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(data, 10, MPI_BYTE, (rank + 1) % ranks, 1, data + 10000, 10, MPI_BYTE, (rank + ranks - 1) % ranks, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void messages(void) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  int got = -1, flag = 0, size = 0, position = 0;
  char packed[64];
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Isend(&rank, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &requests[0]);
  /* The probes do not use MPI_ANY_SOURCE: with it MPICH 5.0.2 hangs between hosts that are one machine. */
  MPI_Probe(before, 5, MPI_COMM_WORLD, &status);
  check(status.MPI_SOURCE == before, "MPI_Probe");
  while (!flag) MPI_Iprobe(before, 5, MPI_COMM_WORLD, &flag, &status);
  MPI_Recv(&got, 1, MPI_INT, before, 5, MPI_COMM_WORLD, &status);
  check(got == before && status.MPI_SOURCE == before, "MPI_Recv");
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Send_init(&rank, 1, MPI_INT, before, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&got, 1, MPI_INT, next, 6, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check(got == next, "persistent requests");
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Isend(&rank, 1, MPI_INT, next, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Message message;
  MPI_Mprobe(before, 7, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  check(got == before, "MPI_Mprobe");
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &size);
  MPI_Pack(&rank, 1, MPI_INT, packed, sizeof(packed), &position, MPI_COMM_WORLD);
  check(size >= position, "MPI_Pack_size");
  position = 0;
  MPI_Unpack(packed, sizeof(packed), &position, &got, 1, MPI_INT, MPI_COMM_WORLD);
  check(got == rank, "MPI_Pack");
  int root = rank == ranks - 1 ? 77 : 0;
  MPI_Bcast(&root, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  check(root == 77, "MPI_Bcast");
  int* all = malloc((size_t)ranks * sizeof(int));
  MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  for (int i = 0; i < ranks; ++i) check(all[i] == i, "MPI_Iallgather");
  free(all);
}

static void groups(void) {
  MPI_Group world, part;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int here = -1, result = -1;
  MPI_Group_rank(world, &here);
  check(here == rank, "MPI_Group_rank");
  MPI_Comm dup, split, evens, merged, between, nodes;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  check(rank_in(dup) == rank, "MPI_Comm_dup");
  MPI_Comm_compare(MPI_COMM_WORLD, dup, &result);
  check(result == MPI_CONGRUENT, "MPI_Comm_compare with a copy");
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
  check(result == MPI_IDENT, "MPI_Comm_compare with itself");
  MPI_Comm_group(dup, &part);
  MPI_Group_compare(world, part, &result);
  check(result == MPI_IDENT, "MPI_Group_compare");
  int* list = malloc((size_t)ranks * sizeof(int));
  for (int i = 0; i < ranks; ++i) list[i] = i;
  int* there = malloc((size_t)ranks * sizeof(int));
  MPI_Group_translate_ranks(part, ranks, list, world, there);
  check(memcmp(list, there, (size_t)ranks * sizeof(int)) == 0, "MPI_Group_translate_ranks");
  MPI_Group_free(&part);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &split);
  check(rank_in(split) == (ranks - 1 - rank) / 2, "MPI_Comm_split");
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &nodes);
  const int even = ranks / 2;
  for (int i = 0; i < even; ++i) list[i] = 2 * i;
  MPI_Group_incl(world, even, list, &part);
  MPI_Comm_create(MPI_COMM_WORLD, part, &evens);
  check((evens == MPI_COMM_NULL) == (rank % 2 == 1) && (rank % 2 == 1 || rank_in(evens) == rank / 2),
        "MPI_Comm_create");
  if (evens != MPI_COMM_NULL) MPI_Comm_free(&evens);
  if (rank % 2 == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, part, 3, &evens);
    check(rank_in(evens) == rank / 2, "MPI_Comm_create_group");
    MPI_Comm_free(&evens);
  }
  MPI_Group_free(&part);
  MPI_Group_free(&world);
  /* The last rank of each half is its leader. */
  const int other = rank % 2 == 0 ? ranks - 1 : ranks - 2;
  MPI_Intercomm_create(split, 0, MPI_COMM_WORLD, other, 4, &between);
  int got = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, rank_in(split), 0, &got, 1, MPI_INT, rank_in(split), 0, between, MPI_STATUS_IGNORE);
  check(got == (rank ^ 1), "MPI_Intercomm_create");
  MPI_Intercomm_merge(between, rank % 2, &merged);
  check(rank_in(merged) % (ranks / 2) == rank_in(split), "MPI_Intercomm_merge");
  const int extents[1] = {ranks}, periodic[1] = {1};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 1, extents, periodic, 0, &grid);
  check(rank_in(grid) == rank, "MPI_Cart_create");
  MPI_Comm* made[] = {&dup, &split, &nodes, &between, &merged, &grid};
  for (int i = 0; i < 6; ++i) MPI_Comm_free(made[i]);
  free(list);
  free(there);
#ifdef MPI_ABI_VERSION
  check(rank_in(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD))) == rank, "the handle as a number");
#else
  check(rank_in(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD))) == rank, "Fortran's handle");
#endif
}

static void windows(void) {
  int got = -1, *allocated = NULL;
  MPI_Win win;
  MPI_Win_create(&got, sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  check(got == (rank + ranks - 1) % ranks, "MPI_Put");
  MPI_Win_free(&win);
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &win);
  *allocated = rank;
  MPI_Win_fence(0, win);
  MPI_Get(&got, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  check(got == (rank + 1) % ranks, "MPI_Win_allocate");
  MPI_Win_free(&win);
}

static void files(const char* name) {
  MPI_File file;
  MPI_Group world, group;
  int result = -1, got = -1;
  if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    check(0, "MPI_File_open");
    return;
  }
  MPI_File_get_group(file, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_compare(world, group, &result);
  check(result == MPI_IDENT, "MPI_File_get_group");
  MPI_Group_free(&world);
  MPI_Group_free(&group);
  MPI_File_write_at_all(file, (MPI_Offset)((size_t)rank * sizeof(int)), &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at_all(file, (MPI_Offset)((size_t)((rank + 1) % ranks) * sizeof(int)), &got, 1, MPI_INT,
                       MPI_STATUS_IGNORE);
  check(got == (rank + 1) % ranks, "MPI_File_read_at_all");
  MPI_File_close(&file);
}

static int told_in_handler = 0, deleted = 0;

static void handler(MPI_Comm* comm, int* code, ...) {
  (void)code;
  told_in_handler += rank_in(*comm) == rank;
}

static int delete_value(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  deleted += value == &deleted;
  return MPI_SUCCESS;
}

static int at_the_end(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  int flag = 0;
  MPI_Finalized(&flag);
  check(!flag && rank_in(MPI_COMM_WORLD) == rank, "the rank in MPI_Finalize");
  if (failures > 0) _exit(1);
  return MPI_SUCCESS;
}

static void belongings(void) {
  int flag = 0, key, *bound, length = 0;
  void* value = NULL;
  char name[MPI_MAX_OBJECT_NAME] = "";
  MPI_Comm copy;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
  check(flag && *bound >= 32767, "MPI_TAG_UB");
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete_value, &key, NULL);
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
  check(!flag, "an attribute that nobody set");
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &deleted);
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
  check(flag && value == &deleted, "an attribute");
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_get_attr(copy, key, &value, &flag);
  check(flag && value == &deleted, "an attribute of a copy");
  MPI_Comm_free(&copy);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  check(deleted == 2, "attributes deleted");
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  check(strcmp(name, "MPI_COMM_WORLD") == 0, "the name");
  MPI_Errhandler own, got;
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
  check(got == own, "the error handler");
  MPI_Errhandler_free(&got);
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
  check(told_in_handler == 1, "an error handler that is called");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check(MPI_Send(&flag, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD) != MPI_SUCCESS, "an error that is returned");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&own);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

static void spawn(const char* program) {
  MPI_Comm children, parent;
  int size = 0, got = -1;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    MPI_Comm_remote_size(parent, &size);
    for (int i = 0; i < size && rank == 0; ++i) {
      MPI_Recv(&got, 1, MPI_INT, i, 0, parent, MPI_STATUS_IGNORE);
      check(got == i, "a parent's rank");
    }
    MPI_Barrier(parent); /* before a child ends, every parent has connected to it, for which MPICH does not wait */
    MPI_Comm_disconnect(&parent); /* the parents do the same: Open MPI waits for both sides */
    return;
  }
  char way[] = "spawn", *words[] = {way, NULL};
  MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, ranks - 1, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  MPI_Send(&rank, 1, MPI_INT, 0, 0, children);
  MPI_Barrier(children);
  MPI_Comm_disconnect(&children);
}

static int process(void) {
  const char* names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
  for (int i = 0; i < 2; ++i) {
    if (getenv(names[i]) != NULL) return atoi(getenv(names[i]));
  }
  return -1;
}

int main(int count, char** words) {
  char host[256] = "", line[300], all[64 * 300];
  const char* way = count > 1 ? words[1] : "pairs";
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  gethostname(host, sizeof(host) - 1);
  memset(line, 0, sizeof(line));
  snprintf(line, sizeof(line), "%d %d %s", rank, process(), host);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL && ranks <= 64) {
    MPI_Gather(line, sizeof(line), MPI_CHAR, all, sizeof(line), MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; i < ranks && rank == 0; ++i) puts(all + 300 * i);
  }
#ifdef PAST
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
  if (strcmp(way, "pairs") == 0) pairs();
  if (strcmp(way, "spawn") == 0) spawn(words[0]);
  const int all_ways = strcmp(way, "all") == 0;
  if (all_ways || strcmp(way, "messages") == 0) messages();
  if (all_ways || strcmp(way, "groups") == 0) groups();
  if (strcmp(way, "windows") == 0) windows();
  if ((all_ways || strcmp(way, "files") == 0) && count > 2) files(words[2]);
  if (all_ways || strcmp(way, "belongings") == 0) belongings();
  int total = 0;
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return total != 0;
}
