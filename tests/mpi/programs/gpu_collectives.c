// SPDX-License-Identifier: BSD-3-Clause
// MPI_Bcast, MPI_Reduce, MPI_Allgather(v) and MPI_Reduce_scatter(_block) of vectors in GPU memory, in one sequence with
// MPI_Allreduce. Each result is compared with what a rank computes itself.
//   gpu_collectives SCENARIO[,SCENARIO...] GPUS
// Every rank prints "rank R: N checks, W wrong".
#include <string.h>

#include "gpu_memory.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

// Open MPI 4 has the persistent forms as extensions.
#if MPI_VERSION >= 4 || defined(MPICH_VERSION) || defined(MPICH_NUMVERSION) || \
    (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define INIT(name) MPI_##name##_init
#else
#define INIT(name) MPIX_##name##_init
#endif

// What MPICH 4.0 and Intel MPI, which is made of it, cannot do themselves, without topowise and on the host: a
// persistent MPI_Allgather that is started again gives the first start's parts, or crashes. MPICH 4.0 also crashes in a
// reduction in place at a root other than 0 of more than 2 KiB.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
enum { kStartsAllgatherOnce = 1 };
#else
enum { kStartsAllgatherOnce = 0 };
#endif
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000 && !defined(I_MPI_VERSION)
enum { kReducesInPlaceAtZero = 1 };
#else
enum { kReducesInPlaceAtZero = 0 };
#endif

static int32_t value_of(int of_rank, int i, int seed) {
  return (int32_t)((i * 7 + of_rank * 31 + seed) % 1000);
}

static int32_t* drawn(int of_rank, int count, int seed) {
  int32_t* values = malloc((size_t)(count > 0 ? count : 1) * sizeof *values);
  for (int i = 0; i < count; ++i) values[i] = value_of(of_rank, i, seed);
  return values;
}

/// A vector on the GPU, or on the host.
typedef struct {
  void* address;
  int on_host;
} Vector;

static Vector make_vector(const int32_t* values, int count, int on_host) {
  const size_t bytes = (size_t)(count > 0 ? count : 1) * sizeof *values;
  Vector vector = {on_host ? malloc(bytes) : make(bytes), on_host};
  int32_t* marked = malloc(bytes);
  memset(marked, 0x5a, bytes);
  if (values == NULL) values = marked;
  if (on_host)
    memcpy(vector.address, values, bytes);
  else
    CHECK(to_gpu((Address)vector.address, values, bytes));
  free(marked);
  return vector;
}

static void check_vector(Vector vector, const int32_t* expected, int count, const char* what, int seed) {
  int32_t* got = malloc((size_t)(count > 0 ? count : 1) * sizeof *got);
  if (vector.on_host)
    memcpy(got, vector.address, (size_t)count * sizeof *got);
  else if (count > 0)
    CHECK(to_host(got, (Address)vector.address, (size_t)count * sizeof *got));
  ++checks;
  if (count > 0 && memcmp(got, expected, (size_t)count * sizeof *got) != 0) {
    ++wrong;
    fprintf(stderr, "rank %d: %s of %d is wrong, seed %d\n", rank, what, count, seed);
  }
  free(got);
}

static void drop(Vector vector) {
  if (vector.on_host)
    free(vector.address);
  else
    CHECK(release((Address)vector.address));
}

static void bcast(int count, int root, int seed, int on_host, MPI_Comm comm, int my, MPI_Datatype type, int per) {
  int32_t* expected = drawn(root, count, seed);
  const Vector vector = make_vector(my == root ? expected : NULL, count, on_host);
  CHECK(MPI_Bcast(vector.address, count / per, type, root, comm));
  check_vector(vector, expected, count, "bcast", seed);
  drop(vector);
  free(expected);
}

static void reduce(int count, int root, int seed, int on_host, MPI_Comm comm, int my, int size) {
  int32_t* sums = calloc((size_t)(count > 0 ? count : 1), sizeof *sums);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < count; ++i) sums[i] += value_of(r, i, seed);
  int32_t* mine = drawn(my, count, seed);
  const Vector send = make_vector(mine, count, on_host);
  const int in_place = my == root && seed % 2 == 0 && (root == 0 || !kReducesInPlaceAtZero);
  const Vector receive = make_vector(in_place ? mine : NULL, count, on_host);
  CHECK(MPI_Reduce(in_place ? MPI_IN_PLACE : send.address, my == root ? receive.address : NULL, count, MPI_INT32_T,
                   MPI_SUM, root, comm));
  if (my == root) check_vector(receive, sums, count, "reduce", seed);
  if (my != root) ++checks;
  drop(send);
  drop(receive);
  free(mine);
  free(sums);
}

static void allgather(int count, int seed, int on_host, MPI_Comm comm, int my, int size) {
  int32_t* all = malloc((size_t)(count * size > 0 ? count * size : 1) * sizeof *all);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < count; ++i) all[r * count + i] = value_of(r, i, seed);
  int32_t* mine = drawn(my, count, seed);
  const int in_place = seed % 2;
  int32_t* before = malloc((size_t)(count * size > 0 ? count * size : 1) * sizeof *before);
  memset(before, 0x5a, (size_t)(count * size) * sizeof *before);
  memcpy(before + my * count, mine, (size_t)count * sizeof *mine);
  const Vector send = make_vector(mine, count, on_host);
  const Vector receive = make_vector(before, count * size, on_host);
  CHECK(MPI_Allgather(in_place ? MPI_IN_PLACE : send.address, in_place ? -1 : count,
                      in_place ? MPI_DATATYPE_NULL : MPI_INT32_T, receive.address, count, MPI_INT32_T, comm));
  check_vector(receive, all, count * size, "allgather", seed);
  drop(send);
  drop(receive);
  free(before);
  free(mine);
  free(all);
}

/// Parts of a vector: rank r has counts[r] elements, from begins[r] on. What lies between them is the program's.
typedef struct {
  int *counts, *begins;
  int all;  ///< elements of the whole vector
} Parts;
enum { kEqual, kOfAllSizes, kWithGaps, kBackwards, kFirstEmpty, kFromBehind };

static Parts make_parts(int form, int count, int size) {
  Parts parts = {malloc((size_t)size * sizeof(int)), malloc((size_t)size * sizeof(int)), 0};
  int begin = form == kFromBehind ? 5 : 0;
  for (int r = 0; r < size; ++r) {
    parts.counts[r] = form == kOfAllSizes ? count + r % 3 - (count > 0) : form == kFirstEmpty && r == 0 ? 0 : count;
    parts.begins[r] = begin;
    begin += parts.counts[r] + (form == kWithGaps ? 2 : 0);
  }
  parts.all = begin;
  if (form == kFirstEmpty) parts.begins[0] = begin;  // MPI does not look at it
  for (int r = 0; form == kBackwards && r < size / 2; ++r) {
    const int other = parts.begins[r];
    parts.begins[r] = parts.begins[size - 1 - r];
    parts.begins[size - 1 - r] = other;
  }
  return parts;
}

static void drop_parts(Parts parts) {
  free(parts.counts);
  free(parts.begins);
}

/// The whole vector of an MPI_Allgatherv: before the call, at one rank, or after it.
static int32_t* gathered(Parts parts, int first, int end, int seed) {
  int32_t* all = malloc((size_t)(parts.all > 0 ? parts.all : 1) * sizeof *all);
  memset(all, 0x5a, (size_t)parts.all * sizeof *all);
  for (int r = first; r < end; ++r)
    for (int i = 0; i < parts.counts[r]; ++i) all[parts.begins[r] + i] = value_of(r, i, seed);
  return all;
}

static void allgatherv(int form, int count, int seed, int on_host, MPI_Comm comm, int my, int size) {
  const Parts parts = make_parts(form, count, size);
  const int in_place = seed % 2;
  int32_t* after = gathered(parts, 0, size, seed);
  int32_t* before = gathered(parts, my, my + in_place, seed);
  int32_t* mine = drawn(my, parts.counts[my], seed);
  const Vector send = make_vector(mine, parts.counts[my], on_host), receive = make_vector(before, parts.all, on_host);
  CHECK(MPI_Allgatherv(in_place ? MPI_IN_PLACE : send.address, in_place ? -1 : parts.counts[my],
                       in_place ? (form == kBackwards ? (MPI_Datatype)0 : MPI_DATATYPE_NULL) : MPI_INT32_T,
                       receive.address, parts.counts, parts.begins, MPI_INT32_T, comm));
  check_vector(receive, after, parts.all, "allgatherv", seed);
  drop(send);
  drop(receive);
  free(mine);
  free(before);
  free(after);
  drop_parts(parts);
}

/// MPI_Reduce_scatter, or MPI_Reduce_scatter_block of parts of one size. Where it is done in place, what lies behind
/// the result is not looked at.
static void reduce_scatter(int form, int count, int seed, int on_host, MPI_Comm comm, int my, int size, int block) {
  const Parts parts = make_parts(form, count, size);
  const int in_place = seed % 2, own = parts.counts[my];
  int32_t* sums = calloc((size_t)(own > 0 ? own : 1), sizeof *sums);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < own; ++i) sums[i] += value_of(r, parts.begins[my] + i, seed);
  int32_t* mine = drawn(my, parts.all, seed);
  const Vector send = make_vector(mine, parts.all, on_host);
  const Vector receive = make_vector(in_place ? mine : NULL, in_place ? parts.all : own, on_host);
  const void* input = in_place ? MPI_IN_PLACE : send.address;
  if (block)
    CHECK(MPI_Reduce_scatter_block(input, receive.address, count, MPI_INT32_T, MPI_SUM, comm));
  else
    CHECK(MPI_Reduce_scatter(input, receive.address, parts.counts, MPI_INT32_T, MPI_SUM, comm));
  check_vector(receive, sums, own, block ? "reduce_scatter_block" : "reduce_scatter", seed);
  drop(send);
  drop(receive);
  free(mine);
  free(sums);
  drop_parts(parts);
}

static void allreduce(int count, int seed, MPI_Comm comm, int my, int size) {
  int32_t* sums = calloc((size_t)count, sizeof *sums);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < count; ++i) sums[i] += value_of(r, i, seed);
  int32_t* mine = drawn(my, count, seed);
  const Vector vector = make_vector(mine, count, 0);
  CHECK(MPI_Allreduce(MPI_IN_PLACE, vector.address, count, MPI_INT32_T, MPI_SUM, comm));
  check_vector(vector, sums, count, "allreduce", seed);
  drop(vector);
  free(mine);
  free(sums);
}

static void everything_on(MPI_Comm comm, const int* counts, int number) {
  int my = 0, size = 1;
  MPI_Comm_rank(comm, &my);
  MPI_Comm_size(comm, &size);
  for (int c = 0; c < number; ++c) {
    for (int root = 0; root<size; root += size> 4 ? size - 1 : 1) {
      const int seed = 3 * c + root;
      bcast(counts[c], root, seed, 0, comm, my, MPI_INT32_T, 1);
      reduce(counts[c], root, seed, 0, comm, my, size);
    }
    for (int in_place = 0; in_place < 2; ++in_place) {
      const int seed = c + in_place;
      allgather(counts[c], seed, 0, comm, my, size);
      allgatherv(seed % 3 == 0 ? kFromBehind : kEqual, counts[c], seed, 0, comm, my, size);
      reduce_scatter(kEqual, counts[c], seed, 0, comm, my, size, 0);
      reduce_scatter(kEqual, counts[c], seed, 0, comm, my, size, 1);
    }
    allreduce(counts[c] + 1, c, comm, my, size);
  }
}

static void everything(void) {
  const int counts[] = {0, 1, 3, 4, 5, 1000, 262143, 262145};
  everything_on(MPI_COMM_WORLD, counts, ranks > 8 ? 6 : 8);
}

static void communicators(void) {
  const int counts[] = {2, 77};
  MPI_Comm half, reversed;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  everything_on(half, counts, 2);
  everything_on(reversed, counts, 2);
  everything_on(MPI_COMM_SELF, counts, 2);
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
}

/// Some ranks' vectors are on the host, so these calls are MPI's, whose broadcast and reduction let the sender go on
/// before the others have come: its next call must not be taken for this one.
static void mixed(void) {
  for (int call = 0; call < 120; ++call) {
    const int odd_one = call % ranks;
    const int count = 10 + call % 7;
    bcast(count, odd_one, call, rank == odd_one, MPI_COMM_WORLD, rank, MPI_INT32_T, 1);
    bcast(count + 1, odd_one, call, 0, MPI_COMM_WORLD, rank, MPI_INT32_T, 1);
    reduce(count + 2, 0, call, rank == odd_one, MPI_COMM_WORLD, rank, ranks);
    reduce(count + 3, odd_one, call, 0, MPI_COMM_WORLD, rank, ranks);
    if (call % 10 != 0) continue;
    allgather(count + 4, call, rank == odd_one, MPI_COMM_WORLD, rank, ranks);
    allgatherv(kEqual, count + 5, call / 10, rank == odd_one, MPI_COMM_WORLD, rank, ranks);
    reduce_scatter(kEqual, count + 6, call / 10, rank == odd_one, MPI_COMM_WORLD, rank, ranks, 0);
    reduce_scatter(kEqual, count + 7, call / 10, rank == odd_one, MPI_COMM_WORLD, rank, ranks, 1);
  }
}

/// All vectors on the host.
static void on_host(void) {
  for (int call = 0; call < 60; ++call) {
    bcast(20, call % ranks, call, 1, MPI_COMM_WORLD, rank, MPI_INT32_T, 1);
    reduce(21, call % ranks, call, 1, MPI_COMM_WORLD, rank, ranks);
    allgather(22, call, 1, MPI_COMM_WORLD, rank, ranks);
    allgatherv(call % 2 == 0 ? kEqual : kWithGaps, 23, call, 1, MPI_COMM_WORLD, rank, ranks);
    reduce_scatter(call % 2 == 0 ? kEqual : kOfAllSizes, 24, call, 1, MPI_COMM_WORLD, rank, ranks, 0);
    reduce_scatter(kEqual, 25, call, 1, MPI_COMM_WORLD, rank, ranks, 1);
  }
}

/// Parts that no plan has: of different sizes, with gaps, in another order. What lies in the gaps is not written.
static void parts(void) {
  for (int form = kEqual; form <= kFromBehind; ++form) {
    for (int seed = 0; seed < 4; ++seed) {
      const int large = form == kFirstEmpty ? 1 << 18 : 0;  // so that nothing else lies behind the vector
      allgatherv(form, large + (seed == 0 ? 1 : 40 + seed), seed, 0, MPI_COMM_WORLD, rank, ranks);
      if (form == kEqual || form == kOfAllSizes)
        reduce_scatter(form, seed == 0 ? 1 : 40 + seed, seed, 0, MPI_COMM_WORLD, rank, ranks, 0);
    }
  }
}

/// Types that span the bytes they send, but in another order: the root sends a matrix by columns, the others receive it
/// as plain integers, and the other way round. With MPI_Allgather, every rank sends two integers in reversed order.
static void transposed(void) {
  enum { kRows = 3, kColumns = 4, kAll = kRows * kColumns };
  MPI_Datatype column, columns, swapped;
  MPI_Type_vector(kRows, 1, kColumns, MPI_INT32_T, &column);
  MPI_Type_create_resized(column, 0, sizeof(int32_t), &columns);
  MPI_Type_commit(&columns);
  MPI_Type_indexed(2, (const int[]){1, 1}, (const int[]){1, 0}, MPI_INT32_T, &swapped);
  MPI_Type_commit(&swapped);
  int32_t *matrix = drawn(0, kAll, 6), *turned = malloc(kAll * sizeof *turned), *back = malloc(kAll * sizeof *back);
  for (int i = 0; i < kAll; ++i) {
    turned[i] = matrix[i % kRows * kColumns + i / kRows];
    back[i % kRows * kColumns + i / kRows] = matrix[i];
  }
  for (int at_root = 0; at_root < 2; ++at_root) {
    const Vector vector = make_vector(rank == 0 ? matrix : NULL, kAll, 0);
    if ((rank == 0) == at_root)
      CHECK(MPI_Bcast(vector.address, kColumns, columns, 0, MPI_COMM_WORLD));
    else
      CHECK(MPI_Bcast(vector.address, kAll, MPI_INT32_T, 0, MPI_COMM_WORLD));
    check_vector(vector, rank == 0 ? matrix : at_root ? turned : back, kAll, "bcast by columns", at_root);
    drop(vector);
  }
  const int32_t mine[] = {value_of(rank, 0, 8), value_of(rank, 1, 8)};
  int32_t* pairs = malloc((size_t)(2 * ranks) * sizeof *pairs);
  for (int i = 0; i < 2 * ranks; ++i) pairs[i] = value_of(i / 2, 1 - i % 2, 8);
  const Vector send = make_vector(mine, 2, 0), receive = make_vector(NULL, 2 * ranks, 0);
  CHECK(MPI_Allgather(send.address, 1, swapped, receive.address, 2, MPI_INT32_T, MPI_COMM_WORLD));
  check_vector(receive, pairs, 2 * ranks, "allgather in reversed order", 8);
  drop(send);
  drop(receive);
  MPI_Type_free(&column);
  MPI_Type_free(&columns);
  MPI_Type_free(&swapped);
  free(matrix);
  free(turned);
  free(back);
  free(pairs);
}

/// Types with and without gaps, and an operation of the program's own.
static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int32_t*)inout)[i] += ((int32_t*)in)[i];
}

static void derived(void) {
  MPI_Datatype four, gaps;
  MPI_Type_contiguous(4, MPI_INT32_T, &four);
  MPI_Type_commit(&four);
  bcast(400, ranks - 1, 5, 0, MPI_COMM_WORLD, rank, rank % 2 == 0 ? four : MPI_INT32_T, rank % 2 == 0 ? 4 : 1);
  MPI_Type_vector(50, 1, 2, MPI_INT32_T, &gaps);  // every second int
  MPI_Type_commit(&gaps);
  int32_t* values = drawn(0, 100, 9);
  int32_t* expected = malloc(100 * sizeof *expected);
  memset(expected, 0x5a, 100 * sizeof *expected);
  for (int i = 0; i < 100; i += 2) expected[i] = values[i];
  const Vector vector = make_vector(rank == 0 ? values : NULL, 100, 0);
  CHECK(MPI_Bcast(vector.address, 1, gaps, 0, MPI_COMM_WORLD));
  check_vector(vector, rank == 0 ? values : expected, 100, "bcast with gaps", 9);
  drop(vector);
  // Every second integer, in parts of different sizes with gaps between them.
  MPI_Datatype spaced;
  MPI_Type_create_resized(MPI_INT32_T, 0, 2 * sizeof(int32_t), &spaced);
  MPI_Type_commit(&spaced);
  for (int in_place = 0; in_place < 2; ++in_place) {
    const int room = 2 * ranks * (ranks + 2);
    int *counts = malloc((size_t)ranks * sizeof *counts), *begins = malloc((size_t)ranks * sizeof *begins);
    int32_t *before = malloc((size_t)room * sizeof *before), *after = malloc((size_t)room * sizeof *after);
    memset(before, 0x5a, (size_t)room * sizeof *before);
    memset(after, 0x5a, (size_t)room * sizeof *after);
    for (int r = 0; r < ranks; ++r) {
      counts[r] = r + 1;
      begins[r] = (ranks - 1 - r) * (ranks + 1) + 1;
      for (int i = 0; i < counts[r]; ++i) after[2 * (begins[r] + i)] = value_of(r, i, 3);
      for (int i = 0; r == rank && i < counts[r]; ++i) before[2 * (begins[r] + i)] = value_of(r, i, 3);
    }
    int32_t* part = drawn(rank, rank + 1, 3);
    const Vector from = make_vector(part, rank + 1, 0), to = make_vector(in_place ? before : NULL, room, 0);
    CHECK(MPI_Allgatherv(in_place ? MPI_IN_PLACE : from.address, rank + 1, MPI_INT32_T, to.address, counts, begins,
                         spaced, MPI_COMM_WORLD));
    check_vector(to, after, room, "allgatherv with gaps", in_place);
    drop(from);
    drop(to);
    free(counts);
    free(begins);
    free(before);
    free(after);
    free(part);
  }
  MPI_Type_free(&spaced);
  MPI_Op own;
  MPI_Op_create(add, 1, &own);
  int32_t* mine = drawn(rank, 30, 4);
  int32_t sums[30] = {0};
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < 30; ++i) sums[i] += value_of(r, i, 4);
  const Vector send = make_vector(mine, 30, 0), receive = make_vector(NULL, 30, 0);
  CHECK(MPI_Reduce(send.address, receive.address, 30, MPI_INT32_T, own, ranks - 1, MPI_COMM_WORLD));
  if (rank == ranks - 1) check_vector(receive, sums, 30, "reduce by an own operation", 4);
  if (rank != ranks - 1) ++checks;
  const int share = 30 / ranks;
  CHECK(MPI_Reduce_scatter_block(send.address, receive.address, share, MPI_INT32_T, own, MPI_COMM_WORLD));
  check_vector(receive, sums + rank * share, share, "reduce_scatter_block by an own operation", 4);
  drop(send);
  drop(receive);
  MPI_Op_free(&own);
  MPI_Type_free(&four);
  MPI_Type_free(&gaps);
  free(mine);
  free(values);
  free(expected);
}

/// Nonblocking and persistent calls, several at a time. Vectors change between two starts.
static void requests(int persistent) {
  enum { kCount = 1000, kStarts = 3 };
  const int root = ranks - 1;
  int32_t *mine = drawn(rank, kCount, 0), *all = malloc((size_t)(ranks * kCount) * sizeof *all);
  const Vector moved = make_vector(NULL, kCount, 0), send = make_vector(mine, kCount, 0);
  const Vector sums = make_vector(NULL, kCount, 0), gathered = make_vector(NULL, ranks * kCount, rank == 1);
  const Vector whole = make_vector(NULL, ranks * kCount, 0), share = make_vector(NULL, kCount, 0);
  const Vector in_place = make_vector(NULL, ranks * kCount, 0), listed = make_vector(NULL, ranks * kCount, 0);
  const Parts equal = make_parts(kEqual, kCount, ranks);
  enum { kRequests = 6 };
  MPI_Request made[kRequests];
  if (persistent) {
    CHECK(INIT(Bcast)(moved.address, kCount, MPI_INT32_T, root, MPI_COMM_WORLD, MPI_INFO_NULL, &made[0]));
    CHECK(INIT(Reduce)(send.address, rank == root ? sums.address : NULL, kCount, MPI_INT32_T, MPI_SUM, root,
                       MPI_COMM_WORLD, MPI_INFO_NULL, &made[1]));
    CHECK(INIT(Allgather)(send.address, kCount, MPI_INT32_T, gathered.address, kCount, MPI_INT32_T, MPI_COMM_WORLD,
                          MPI_INFO_NULL, &made[2]));
    CHECK(INIT(Reduce_scatter)(whole.address, share.address, equal.counts, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD,
                               MPI_INFO_NULL, &made[3]));
    CHECK(INIT(Reduce_scatter_block)(MPI_IN_PLACE, in_place.address, kCount, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD,
                                     MPI_INFO_NULL, &made[4]));
    CHECK(INIT(Allgatherv)(send.address, kCount, MPI_INT32_T, listed.address, equal.counts, equal.begins, MPI_INT32_T,
                           MPI_COMM_WORLD, MPI_INFO_NULL, &made[5]));
  }
  for (int start = 0; start < kStarts; ++start) {
    const int gathers = !persistent || start == 0 || !kStartsAllgatherOnce;
    int32_t* expected = calloc(kCount, sizeof *expected);
    for (int r = 0; r < ranks; ++r) {
      for (int i = 0; i < kCount; ++i) all[r * kCount + i] = value_of(r, i, start);
      for (int i = 0; i < kCount; ++i) expected[i] += value_of(r, i, start);
    }
    CHECK(to_gpu((Address)send.address, all + rank * kCount, kCount * sizeof *all));
    int32_t *mine_of_all = drawn(rank, ranks * kCount, start), *shared = calloc(kCount, sizeof *shared);
    for (int r = 0; r < ranks; ++r)
      for (int i = 0; i < kCount; ++i) shared[i] += value_of(r, rank * kCount + i, start);
    CHECK(to_gpu((Address)whole.address, mine_of_all, (size_t)(ranks * kCount) * sizeof *all));
    CHECK(to_gpu((Address)in_place.address, mine_of_all, (size_t)(ranks * kCount) * sizeof *all));
    if (rank == root) CHECK(to_gpu((Address)moved.address, all + root * kCount, kCount * sizeof *all));
    if (persistent) {
      CHECK(MPI_Startall(2, made));
      CHECK(MPI_Startall(gathers ? 4 : 3, made + (gathers ? 2 : 3)));
    } else {
      CHECK(MPI_Ibcast(moved.address, kCount, MPI_INT32_T, root, MPI_COMM_WORLD, &made[0]));
      CHECK(MPI_Ireduce(send.address, rank == root ? sums.address : NULL, kCount, MPI_INT32_T, MPI_SUM, root,
                        MPI_COMM_WORLD, &made[1]));
      CHECK(MPI_Iallgather(send.address, kCount, MPI_INT32_T, gathered.address, kCount, MPI_INT32_T, MPI_COMM_WORLD,
                           &made[2]));
      CHECK(MPI_Ireduce_scatter(whole.address, share.address, equal.counts, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD,
                                &made[3]));
      CHECK(MPI_Ireduce_scatter_block(MPI_IN_PLACE, in_place.address, kCount, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD,
                                      &made[4]));
      CHECK(MPI_Iallgatherv(send.address, kCount, MPI_INT32_T, listed.address, equal.counts, equal.begins, MPI_INT32_T,
                            MPI_COMM_WORLD, &made[5]));
    }
    CHECK(MPI_Waitall(kRequests, made, MPI_STATUSES_IGNORE));
    check_vector(share, shared, kCount, "nonblocking reduce_scatter", start);
    check_vector(in_place, shared, kCount, "nonblocking reduce_scatter_block", start);
    check_vector(listed, all, ranks * kCount, "nonblocking allgatherv", start);
    free(mine_of_all);
    free(shared);
    check_vector(moved, all + root * kCount, kCount, "nonblocking bcast", start);
    check_vector(sums, expected, rank == root ? kCount : 0, "nonblocking reduce", start);
    if (gathers) check_vector(gathered, all, ranks * kCount, "nonblocking allgather", start);
    free(expected);
  }
  for (int i = 0; persistent && i < kRequests; ++i) CHECK(MPI_Request_free(&made[i]));
  drop_parts(equal);
  drop(whole);
  drop(share);
  drop(in_place);
  drop(listed);
  drop(moved);
  drop(send);
  drop(sums);
  drop(gathered);
  free(mine);
  free(all);
}

/// A driver fails in the middle: all ranks get the error, and later calls are right.
static void survive(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int failures = 0;
  for (int call = 0; call < 8; ++call) {
    int32_t* expected = drawn(1, 100, call);
    const Vector vector = make_vector(rank == 1 ? expected : NULL, 100, 0);
    if (MPI_Bcast(vector.address, 100, MPI_INT32_T, 1, MPI_COMM_WORLD) != MPI_SUCCESS)
      ++failures;
    else
      check_vector(vector, expected, 100, "bcast", call);
    drop(vector);
    free(expected);
  }
  printf("rank %d: %d failed\n", rank, failures);
}

/// Whether the ranks have met: then they share memory.
static int have_met(void) {
  char line[512];
  int found = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) found |= strstr(line, "topowise-allreduce") != NULL;
  if (maps != NULL) fclose(maps);
  return found;
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  MPI_Init(&count, &arguments);
  const int met = have_met();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  load(atoi(arguments[2]));
  for (char* scenario = strtok(arguments[1], ","); scenario != NULL; scenario = strtok(NULL, ",")) {
    if (strcmp(scenario, "everything") == 0) everything();
    if (strcmp(scenario, "communicators") == 0) communicators();
    if (strcmp(scenario, "mixed") == 0) mixed();
    if (strcmp(scenario, "host") == 0) on_host();
    if (strcmp(scenario, "derived") == 0) derived();
    if (strcmp(scenario, "transposed") == 0) transposed();
    if (strcmp(scenario, "parts") == 0) parts();
    if (strcmp(scenario, "requests") == 0) requests(0);
    if (strcmp(scenario, "persistent") == 0) requests(1);
    if (strcmp(scenario, "survive") == 0) survive();
  }
  printf("rank %d: %s in MPI_Init\n", rank, met ? "met" : "did not meet");
  printf("rank %d: %d checks, %d wrong\n", rank, checks, wrong);
  MPI_Finalize();
  return 0;
}
