// SPDX-License-Identifier: BSD-3-Clause
// MPI_Allreduce of vectors in GPU memory. Each result is compared with what MPI makes of the same vectors on the host:
// by MPI_Reduce_local where a rank can draw the others' vectors itself, else by another MPI_Allreduce.
//   gpu_allreduce SCENARIO[,SCENARIO...] GPUS
// Every rank prints "rank R: N checks, W wrong".
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "gpu_memory.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

/// The parameters of a check.
typedef struct {
  MPI_Datatype type;
  MPI_Op op;
  int count;
  size_t bytes;  // of the buffers
  size_t begin;  // of the address that MPI is given, in the buffers
  int in_place;
  int send_on_host;   // at this rank
  const char* input;  // bytes
  int drawn;          // parameters of fill() for the input:
  size_t width;
  int floating;
  unsigned seed;
} Case;

/// Small numbers: every order of the operands gives the same.
static void fill(char* to, size_t bytes, size_t width, int floating, unsigned seed, int of_rank) {
  for (size_t i = 0; i * width < bytes; ++i) {
    const int value = (int)((i * 7 + (unsigned)of_rank * 3 + seed) % 3);
    if (floating && width == 4) *(float*)(to + 4 * i) = (float)value;
    if (floating && width == 8) *(double*)(to + 8 * i) = value;
    if (!floating) {
      memset(to + width * i, 0, width);
      to[width * i] = (char)value;
    }
  }
}

/// Computes the result of the communicator's ranks without their help.
static void expect_drawn(const Case* c, MPI_Comm comm, char* expected) {
  MPI_Group world, group;
  int size = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(comm, &group);
  MPI_Group_size(group, &size);
  char* input = malloc(c->bytes);
  for (int i = size - 1; i >= 0; --i) {
    int of_rank = 0;
    CHECK(MPI_Group_translate_ranks(group, 1, &i, world, &of_rank));
    fill(i == size - 1 ? expected : input, c->bytes, c->width, c->floating, c->seed, of_rank);
    if (i < size - 1) CHECK(MPI_Reduce_local(input, expected, c->count, c->type, c->op));
  }
  free(input);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

/// Whether a byte belongs to no element of the type of gaps().
static int is_gap(const Case* c, size_t i) {
  const size_t place = (i - c->begin) % 32;
  const int inside = i >= c->begin && i < c->begin + 32 * (size_t)c->count;
  return c->begin > 0 && !(inside && ((place >= 4 && place < 8) || (place >= 20 && place < 24)));
}

/// Gaps must keep their content, unless MPI itself writes there (Intel's does).
static int differ(const Case* c, const char* got, const char* expected) {
  for (size_t i = 0; i < c->bytes; ++i) {
    const char before = c->in_place ? c->input[i] : 0x5a;
    if (got[i] != expected[i] && !(is_gap(c, i) && got[i] == before)) return 1;
  }
  return 0;
}

/// Compares every byte of the receive buffer, including the gaps.
static void check(const Case* c, MPI_Comm comm) {
  char* expected = malloc(c->bytes);
  char* got = malloc(c->bytes);
  memset(expected, 0x5a, c->bytes);
  if (c->in_place) memcpy(expected, c->input, c->bytes);
  char* send = make(c->bytes);
  char* receive = make(c->bytes);
  CHECK(to_gpu((Address)send, c->input, c->bytes));
  CHECK(to_gpu((Address)receive, expected, c->bytes));
  const void* from = c->in_place ? MPI_IN_PLACE : c->send_on_host ? c->input + c->begin : send + c->begin;
  CHECK(MPI_Allreduce(from, receive + c->begin, c->count, c->type, c->op, comm));
  if (c->drawn)
    expect_drawn(c, comm, expected);
  else
    CHECK(MPI_Allreduce(c->in_place ? MPI_IN_PLACE : c->input + c->begin, expected + c->begin, c->count, c->type, c->op,
                        comm));
  CHECK(to_host(got, (Address)receive, c->bytes));
  ++checks;
  if (differ(c, got, expected)) {
    ++wrong;
    fprintf(stderr, "rank %d: check %d is wrong: %d elements, in place %d\n", rank, checks, c->count, c->in_place);
  }
  void* current = NULL;
  CHECK(get_current(&current));
  if (current != context) fail("another context is current", 0);
  CHECK(release((Address)send));
  CHECK(release((Address)receive));
  free(expected);
  free(got);
}

static void check_plain(MPI_Datatype type, size_t size, size_t width, int floating, MPI_Op op, int count, int in_place,
                        MPI_Comm comm) {
  char* input = malloc(size * (size_t)count);
  const unsigned seed = (unsigned)count + 2 * (unsigned)width + (unsigned)in_place;  // the same at all ranks
  fill(input, size * (size_t)count, width, floating, seed, rank);
  const Case c = {.type = type,
                  .op = op,
                  .count = count,
                  .bytes = size * (size_t)count,
                  .in_place = in_place,
                  .input = input,
                  .drawn = 1,
                  .width = width,
                  .floating = floating,
                  .seed = seed};
  check(&c, comm);
  free(input);
}

static void everything(MPI_Comm comm) {
  const int counts[] = {1, 3, 100, 5000, 300000};
  const struct {
    MPI_Datatype type;
    size_t size, width;
    int floating, integer;
  } types[] = {{MPI_INT, 4, 4, 0, 1},      {MPI_UNSIGNED, 4, 4, 0, 1},  {MPI_LONG, 8, 8, 0, 1},
               {MPI_SHORT, 2, 2, 0, 1},    {MPI_UINT8_T, 1, 1, 0, 1},   {MPI_INT8_T, 1, 1, 0, 1},
               {MPI_UINT64_T, 8, 8, 0, 1}, {MPI_LONG_LONG, 8, 8, 0, 1}, {MPI_FLOAT, 4, 4, 1, 0},
               {MPI_DOUBLE, 8, 8, 1, 0}};
  const MPI_Op numeric[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  const MPI_Op integer[] = {MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
  for (int t = 0; t < 10; ++t) {
    for (int o = 0; o < 4; ++o)
      check_plain(types[t].type, types[t].size, types[t].width, types[t].floating, numeric[o], counts[(t + o) % 4],
                  o % 2, comm);
    for (int o = 0; types[t].integer && o < 6; ++o)
      check_plain(types[t].type, types[t].size, types[t].width, 0, integer[o], counts[(t + o) % 4], o % 2, comm);
  }
  check_plain(MPI_INT, 4, 4, 0, MPI_SUM, counts[4], 0, comm);
  check_plain(MPI_2INT, 8, 4, 0, MPI_MAXLOC, 1000, 0, comm);
  check_plain(MPI_FLOAT_INT, 8, 4, 0, MPI_MINLOC, 1000, 1, comm);
  check_plain(MPI_C_FLOAT_COMPLEX, 8, 4, 1, MPI_SUM, 1000, 0, comm);
  check_plain(MPI_C_DOUBLE_COMPLEX, 16, 8, 1, MPI_SUM, 1000, 1, comm);
  char truths[1000];
  for (int i = 0; i < 1000; ++i) truths[i] = (char)((i + rank) % 5 == 0);
  const Case bools = {.type = MPI_C_BOOL, .op = MPI_LOR, .count = 1000, .bytes = 1000, .input = truths};
  check(&bools, comm);
  check_plain(MPI_BYTE, 1, 1, 0, MPI_BXOR, 1000, 0, comm);
}

/// 16-bit floating-point numbers. The libraries have different types for them, or none. Rank 0's number plus another
/// rank's gives rank 0's number again, unless more than 16 bits are kept until the last vector is added.
static void halves(MPI_Comm comm) {
  enum { kCount = 3000 };
  const struct {
    uint16_t one, large;  // large + 2 is the next number
  } f16 = {0x3c00, 0x6800}, bf16 = {0x3f80, 0x4380};
  const struct {
    MPI_Datatype type;
    int is_bf16;
  } types[] = {
      {MPI_DATATYPE_NULL, 0},
#ifdef MPIX_C_FLOAT16
      {MPIX_C_FLOAT16, 0},
#endif
#ifdef MPIX_SHORT_FLOAT
      {MPIX_SHORT_FLOAT, 0},
#endif
#ifdef MPI_REAL2
      {MPI_REAL2, 0},
#endif
#ifdef MPIX_BFLOAT16
      {MPIX_BFLOAT16, 1},
#endif
  };
  uint16_t values[kCount], *device = make(sizeof values);
  for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
    if (types[t].type == MPI_DATATYPE_NULL) continue;
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    MPI_Type_get_name(types[t].type, name, &length);
    if (length == 0) continue;  // MPICH 4.0 ends the job if this type is reduced, on the host too
    const uint16_t one = types[t].is_bf16 ? bf16.one : f16.one;
    const uint16_t large = types[t].is_bf16 ? bf16.large : f16.large;
    const int added = (ranks - 1) / 2 * 2;  // so many ranks add one
    for (int i = 0; i < kCount; ++i) values[i] = rank == 0 ? large : rank <= added && i % 2 == 0 ? one : 0;
    CHECK(to_gpu((Address)device, values, sizeof values));
    CHECK(MPI_Allreduce(MPI_IN_PLACE, device, kCount, types[t].type, MPI_SUM, comm));
    CHECK(to_host(values, (Address)device, sizeof values));
    ++checks;
    int differ = 0;
    for (int i = 0; i < kCount; ++i) differ |= values[i] != large + (i % 2 == 0 ? added / 2 : 0);
    wrong += differ;
  }
  CHECK(release((Address)device));
}

/// An operation that is not commutative: the composition of affine functions x -> a x + b.
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; i += 1) {
    const int32_t* first = (int32_t*)in + 2 * i;
    int32_t* second = (int32_t*)inout + 2 * i;
    second[1] = second[0] * first[1] + second[1];
    second[0] = second[0] * first[0];
  }
}

/// Vectors that no GPU reduces: they go by way of the host, with the same result.
static void fallback(MPI_Comm comm) {
  char* input = malloc(65536);
  fill(input, 65536, 4, 0, 1, rank);
  MPI_Op composition;
  MPI_Op_create(compose, 0, &composition);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT32_T, &pair);
  MPI_Type_commit(&pair);
  for (int in_place = 0; in_place < 2; ++in_place) {
    const Case cases[] = {
        {.type = pair, .op = composition, .count = 500, .bytes = 4000, .in_place = in_place, .input = input},
        {.type = MPI_LONG_DOUBLE, .op = MPI_MAX, .count = 1, .bytes = 16, .in_place = in_place, .input = input},
        {.type = MPI_INT32_T, .op = MPI_SUM, .count = 0, .bytes = 16, .in_place = in_place, .input = input},
        {.type = MPI_INT32_T, .op = MPI_SUM, .count = 700, .bytes = 2800, .in_place = in_place, .input = input},
    };
    for (int i = 0; i < 4; ++i) check(&cases[i], comm);
  }
  // At some ranks the send buffer, or everything, lies on the host.
  const Case mixed = {
      .type = MPI_INT32_T, .op = MPI_SUM, .count = 900, .bytes = 3600, .send_on_host = rank % 2, .input = input};
  for (int i = 0; i < 3; ++i) check(&mixed, comm);
  int32_t mine[2] = {rank, 1}, sums[2] = {0, 0};
  int32_t* device = make(sizeof mine);
  for (int host = 0; host < ranks; ++host) {
    CHECK(to_gpu((Address)device, mine, sizeof mine));
    CHECK(MPI_Allreduce(MPI_IN_PLACE, rank == host ? (memcpy(sums, mine, sizeof mine), sums) : device, 2, MPI_INT32_T,
                        MPI_SUM, comm));
    if (rank != host) CHECK(to_host(sums, (Address)device, sizeof sums));
    ++checks;
    wrong += sums[0] != ranks * (ranks - 1) / 2 || sums[1] != ranks;
  }
  CHECK(release((Address)device));
  // Elements that begin where no GPU reads them.
  char* packed = make(64);
  CHECK(to_gpu((Address)packed + 2, mine, sizeof mine));
  CHECK(MPI_Allreduce(MPI_IN_PLACE, packed + 2, 2, MPI_INT32_T, MPI_SUM, comm));
  CHECK(to_host(sums, (Address)packed + 2, sizeof sums));
  ++checks;
  wrong += sums[0] != ranks * (ranks - 1) / 2 || sums[1] != ranks;
  CHECK(release((Address)packed));
  MPI_Type_free(&pair);
  MPI_Op_free(&composition);
  free(input);
}

/// A user-defined sum of a type with gaps. Its data begin after the address that MPI is given.
static int32_t gap_places[2] = {1, 5};
static void add_with_gaps(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    for (int k = 0; k < 2; ++k) ((int32_t*)inout)[8 * i + gap_places[k]] += ((int32_t*)in)[8 * i + gap_places[k]];
}

static void gaps(MPI_Comm comm) {
  char input[4096];
  fill(input, sizeof input, 4, 0, 2, rank);
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {4, 20};
  const MPI_Datatype parts[] = {MPI_INT32_T, MPI_INT32_T};
  MPI_Datatype made, type;
  MPI_Type_create_struct(2, lengths, places, parts, &made);
  MPI_Type_create_resized(made, 0, 32, &type);  // true lower bound 4
  MPI_Type_commit(&type);
  MPI_Op add;
  MPI_Op_create(add_with_gaps, 1, &add);
  for (int in_place = 0; in_place < 2; ++in_place) {
    const Case c = {
        .type = type, .op = add, .count = 50, .bytes = 64 * 32, .begin = 64, .in_place = in_place, .input = input};
    check(&c, comm);
  }
  MPI_Op_free(&add);
  MPI_Type_free(&type);
  MPI_Type_free(&made);
}

/// A type whose data are far behind the address that MPI is given: `kFar` bytes behind it, or at their own address
/// (MPI_BOTTOM). The given address is not in GPU memory. Calls are blocking or not. Each call has a fresh communicator:
/// MPICH 5.0 reduces such types wrongly, on the host too, once a communicator has been used for a while.
enum { kFar = 1 << 20, kInts = 10 };
static MPI_Aint origin_places[1];
static void add_far(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  (void)count;
  for (int i = 0; i < kInts; ++i)
    ((int32_t*)((uintptr_t)inout + (uintptr_t)origin_places[0]))[i] +=
        ((int32_t*)((uintptr_t)in + (uintptr_t)origin_places[0]))[i];
}

static void origins(MPI_Comm comm) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  if (strstr(library, "Intel") != NULL) return;  // with such types, the program ends there, on the host too
  int32_t values[kInts], *device = make(sizeof values);
  MPI_Op add;
  MPI_Op_create(add_far, 1, &add);
  for (int way = 0; way < 4; ++way) {
    const int absolute = way % 2, blocking = way < 2;
    origin_places[0] = absolute ? (MPI_Aint)(uintptr_t)device : kFar;
    const int length = kInts;
    const MPI_Datatype part = MPI_INT32_T;
    MPI_Datatype type;
    MPI_Type_create_struct(1, &length, origin_places, &part, &type);
    MPI_Type_commit(&type);
    MPI_Comm fresh;
    MPI_Comm_dup(comm, &fresh);
    for (int i = 0; i < kInts; ++i) values[i] = rank + i;
    CHECK(to_gpu((Address)device, values, sizeof values));
    void* address = absolute ? MPI_BOTTOM : (void*)((uintptr_t)device - kFar);
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK(blocking ? MPI_Allreduce(MPI_IN_PLACE, address, 1, type, add, fresh)
                   : MPI_Iallreduce(MPI_IN_PLACE, address, 1, type, add, fresh, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(to_host(values, (Address)device, sizeof values));
    ++checks;
    wrong += values[kInts - 1] != ranks * (ranks - 1) / 2 + ranks * (kInts - 1);
    MPI_Comm_free(&fresh);
    MPI_Type_free(&type);
  }
  MPI_Op_free(&add);
  CHECK(release((Address)device));
}

/// For a call without a type, MPI asks the communicator's error handler, not that of MPI_COMM_WORLD. MPICH's and
/// Intel's libraries may be built to end the job.
static void no_type(MPI_Comm comm) {
#ifdef OPEN_MPI
  int32_t* device = make(80);
  MPI_Comm copy;
  MPI_Request request;
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  for (int way = 0; way < 2; ++way) {
    const int status = way == 0 ? MPI_Allreduce(device, device + 10, 10, MPI_DATATYPE_NULL, MPI_SUM, copy)
                                : MPI_Iallreduce(device, device + 10, 10, MPI_DATATYPE_NULL, MPI_SUM, copy, &request);
    ++checks;
    wrong += status == MPI_SUCCESS;
  }
  MPI_Comm_free(&copy);
  CHECK(release((Address)device));
#else
  (void)comm;
#endif
}

static void several_communicators(int rounds) {
  MPI_Comm copy, half, reversed;
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_split(copy, 0, -rank, &reversed);
    const MPI_Comm all[] = {MPI_COMM_WORLD, copy, half, reversed, MPI_COMM_SELF};
    for (int i = 0; i < 15; ++i) check_plain(MPI_INT, 4, 4, 0, MPI_SUM, 50 + i, i % 2, all[i % 5]);
    MPI_Comm_free(&copy);  // the other communicators still exist
    check_plain(MPI_DOUBLE, 8, 8, 1, MPI_MAX, 200, 0, half);
    check_plain(MPI_DOUBLE, 8, 8, 1, MPI_MAX, 200, 0, reversed);
    MPI_Comm_free(&half);
    MPI_Comm_free(&reversed);
  }
}

static void killed(void) {
  int32_t values[1000] = {0};
  int32_t* device = make(sizeof values);
  CHECK(to_gpu((Address)device, values, sizeof values));
  for (int call = 0; call < 5; ++call) {
    if (call == 3 && rank == ranks - 1) raise(SIGKILL);
    MPI_Allreduce(MPI_IN_PLACE, device, 1000, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
  }
}

/// MPI asks the communicator's error handler, and the calls after the failed one are right again.
static void survive(void) {
  int32_t values[100], *device = make(sizeof values);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int failures = 0;
  for (int call = 0; call < 8; ++call) {
    for (int i = 0; i < 100; ++i) values[i] = rank + call;
    CHECK(to_gpu((Address)device, values, sizeof values));
    const int status = MPI_Allreduce(MPI_IN_PLACE, device, 100, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
    if (status != MPI_SUCCESS) {
      int class = MPI_SUCCESS;
      CHECK(MPI_Error_class(status, &class));
      wrong += class != MPI_ERR_OTHER;
      ++failures;
      continue;
    }
    CHECK(to_host(values, (Address)device, sizeof values));
    ++checks;
    wrong += values[99] != ranks * (ranks - 1) / 2 + ranks * call;
  }
  printf("rank %d: %d failed\n", rank, failures);
}

/// The driver refuses one rank's copy to the host: in the second call, for a type that is reduced there.
static void unreadable(int nonblocking) {
  enum { kSecond = 1 };
  long double values[4], *device = make(sizeof values);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int failures = 0;
  for (int call = 0; call < 4; ++call) {
    for (int i = 0; i < 4; ++i) values[i] = 100 * call + rank;
    CHECK(to_gpu((Address)device, values, sizeof values));
    MPI_Request request = MPI_REQUEST_NULL;
    int status = nonblocking
                     ? MPI_Iallreduce(MPI_IN_PLACE, device, 4, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request)
                     : MPI_Allreduce(MPI_IN_PLACE, device, 4, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (status == MPI_SUCCESS) status = MPI_Wait(&request, MPI_STATUS_IGNORE);
    failures += status != MPI_SUCCESS;
    CHECK(to_host(values, (Address)device, sizeof values));
    ++checks;
    wrong += call != kSecond && values[3] != ranks * (ranks - 1) / 2 + ranks * 100 * call;
  }
  printf("rank %d: %d failed\n", rank, failures);
}

static void* in_thread(void* argument) {
  MPI_Comm comm = *(MPI_Comm*)argument;
  CHECK(set_current(context));
  int32_t values[500], *device = make(sizeof values);
  for (int call = 0; call < 40; ++call) {
    for (int i = 0; i < 500; ++i) values[i] = rank + call;
    CHECK(to_gpu((Address)device, values, sizeof values));
    CHECK(MPI_Allreduce(MPI_IN_PLACE, device, 500, MPI_INT32_T, MPI_SUM, comm));
    CHECK(to_host(values, (Address)device, sizeof values));
    __atomic_fetch_add(&checks, 1, __ATOMIC_RELAXED);
    if (values[499] != ranks * (ranks - 1) / 2 + ranks * call) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

static void threads(void) {
  pthread_t made[3];
  MPI_Comm comms[3];
  for (int i = 0; i < 3; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < 3; ++i) pthread_create(&made[i], NULL, in_thread, &comms[i]);
  for (int i = 0; i < 3; ++i) pthread_join(made[i], NULL);
  for (int i = 0; i < 3; ++i) MPI_Comm_free(&comms[i]);
}

/// A program without a driver.
static void on_host(void) {
  for (int call = 0; call < 200; ++call) {
    int32_t mine[2] = {rank, call}, sum[2];
    CHECK(MPI_Allreduce(mine, sum, 2, MPI_INT32_T, MPI_SUM, call % 2 == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF));
    ++checks;
    wrong += call % 2 == 0 ? sum[1] != call * ranks : sum[1] != call;
  }
}

static void play(const char* scenario, int provided, int gpus) {
  if (strcmp(scenario, "host") == 0)
    on_host();
  else if (context == NULL)
    load(gpus);
  if (strcmp(scenario, "everything") == 0) everything(MPI_COMM_WORLD);
  if (strcmp(scenario, "halves") == 0) halves(MPI_COMM_WORLD);
  if (strcmp(scenario, "fallback") == 0) {
    fallback(MPI_COMM_WORLD);
    gaps(MPI_COMM_WORLD);
    origins(MPI_COMM_WORLD);
    no_type(MPI_COMM_WORLD);
  }
  if (strcmp(scenario, "communicators") == 0) several_communicators(3);
  if (strcmp(scenario, "once") == 0) several_communicators(1);
  if (strcmp(scenario, "killed") == 0) killed();
  if (strcmp(scenario, "survive") == 0) survive();
  if (strcmp(scenario, "unreadable") == 0) {
    unreadable(0);
    unreadable(1);
  }
  if (strcmp(scenario, "threads") == 0 && provided == MPI_THREAD_MULTIPLE) threads();
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  int provided = 0;
  MPI_Init_thread(&count, &arguments,
                  strstr(arguments[1], "threads") != NULL ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int32_t one = 1, all = 0;  // reduced before the program has a driver
  MPI_Allreduce(&one, &all, 1, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
  for (char* scenario = strtok(arguments[1], ","); scenario != NULL; scenario = strtok(NULL, ","))
    play(scenario, provided, atoi(arguments[2]));
  printf("rank %d: %d checks, %d wrong\n", rank, checks, wrong + (all != ranks));
  MPI_Finalize();
  return 0;
}
