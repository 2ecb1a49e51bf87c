// SPDX-License-Identifier: BSD-3-Clause
// MPI_Iallreduce and MPI_Allreduce_init of vectors in GPU memory, several at a time. The requests are completed by
// every MPI function that can complete them.
//   gpu_requests SCENARIO GPUS
// Every rank prints "rank R: N checks, W wrong".
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "gpu_memory.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define ALLREDUCE_INIT MPI_Allreduce_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define ALLREDUCE_INIT MPIX_Allreduce_init
#endif

// Abilities that MPI libraries lack by themselves, on the host too.
static int testall_fails;  // with persistent collectives: MPICH, Intel
static int few_ways;       // for these, all functions but MPI_Wait, MPI_Test and MPI_Waitall hang: MPICH 4.0
static int free_late;  // a communicator that is freed before its nonblocking collectives have ended crashes: Open MPI

static void look_at_library(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  const char* mpich = strstr(version, "MPICH Version:");
  testall_fails = mpich != NULL || strstr(version, "Intel") != NULL;
  few_ways = mpich != NULL && strtol(mpich + strlen("MPICH Version:"), NULL, 10) < 5;
  free_late = strstr(version, "Open MPI") != NULL;
}

enum { kVectors = 5, kMost = 6000 };

/// One vector of a request: this rank's elements are rank + seed + i % 7.
typedef struct {
  int count, seed, in_place, on_host, gaps;
  int32_t *send, *receive;  // on the GPU, or on the host
} Vector;

static MPI_Datatype type_with_gaps;  // of 32 bytes, an element at byte 4
enum { kStride = 8, kGap = 1, kUntouched = 0x5a5a5a5a };

static int place(const Vector* v, int i) {
  return v->gaps ? i * kStride + kGap : i;
}
static size_t bytes_of(const Vector* v) {
  return sizeof(int32_t) * (v->gaps ? (size_t)v->count * kStride : (size_t)v->count) + 4;
}

static Vector make_vector(int number) {
  static const int counts[] = {1, 100, 5000, 3, 700};
  Vector v = {.count = counts[number % 5], .seed = number, .in_place = number % 2, .gaps = number % 5 == 4};
  v.send = make(bytes_of(&v));
  v.receive = make(bytes_of(&v));
  return v;
}
static void drop(Vector* v) {
  CHECK(release((Address)v->send));
  CHECK(release((Address)v->receive));
}

/// Writes new numbers where the call reads, and other numbers where it writes.
static void fill(Vector* v, int seed) {
  static int32_t values[kMost * kStride];
  v->seed = seed;
  for (size_t i = 0; i < bytes_of(v) / 4; ++i) values[i] = kUntouched;
  CHECK(to_gpu((Address)v->receive, values, bytes_of(v)));
  for (int i = 0; i < v->count; ++i) values[place(v, i)] = rank + seed + i % 7;
  CHECK(to_gpu((Address)(v->in_place ? v->receive : v->send), values, bytes_of(v)));
}

static void mark(const Vector* v) {
  const int32_t marker = 4711;
  CHECK(to_gpu((Address)(v->receive + place(v, 0)), &marker, 4));
}

/// Checks that the output has the sums and nothing else; `members` ranks took part, and `sum` is the sum of their
/// ranks.
static void verify_among(const Vector* v, int members, int sum) {
  static _Thread_local int32_t got[kMost * kStride];
  CHECK(to_host(got, (Address)v->receive, bytes_of(v)));
  int bad = 0;
  for (int i = 0; i < v->count; ++i) bad += got[place(v, i)] != sum + members * (v->seed + i % 7);
  for (int i = 0; v->gaps && i < v->count * kStride; ++i) bad += i % kStride != kGap && got[i] != kUntouched;
  __atomic_fetch_add(&checks, 1, __ATOMIC_RELAXED);
  if (bad == 0) return;
  __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
  fprintf(stderr, "rank %d: %d elements from seed %d, in place %d, gaps %d: %d are wrong\n", rank, v->count, v->seed,
          v->in_place, v->gaps, bad);
}
static void verify(const Vector* v) {
  verify_among(v, ranks, ranks * (ranks - 1) / 2);
}
static void verify_marked(const Vector* v) {
  int32_t got = 0;
  CHECK(to_host(&got, (Address)(v->receive + place(v, 0)), 4));
  ++checks;
  wrong += got != 4711;
}

static MPI_Datatype type_of(const Vector* v) {
  return v->gaps ? type_with_gaps : MPI_INT32_T;
}

static void add_with_gaps(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int32_t*)inout)[i * kStride + kGap] += ((int32_t*)in)[i * kStride + kGap];
}
static MPI_Op add;  // the program's own operation
static MPI_Op op_of(const Vector* v) {
  return v->gaps ? add : MPI_SUM;
}

static void begin(const Vector* v, MPI_Comm comm, MPI_Request* request) {
  CHECK(MPI_Iallreduce(v->in_place ? MPI_IN_PLACE : (void*)v->send, v->receive, v->count, type_of(v), op_of(v), comm,
                       request));
}

// Functions that complete n requests; each calls ended(index) once for each of the first kVectors, as soon as it knows.
typedef void (*Ended)(int index);
static void know(Ended ended, int index) {
  if (index >= 0 && index < kVectors) ended(index);
}
static void by_wait(int n, MPI_Request* requests, Ended ended) {
  for (int i = n - 1; i >= 0; --i) {
    CHECK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    know(ended, i);
  }
}
static void by_test(int n, MPI_Request* requests, Ended ended) {
  for (int i = 0; i < n; ++i) {
    for (int done = 0; !done; sched_yield()) CHECK(MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE));
    know(ended, i);
  }
}
static void by_waitall(int n, MPI_Request* requests, Ended ended) {
  CHECK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < n; ++i) know(ended, i);
}
static void by_testall(int n, MPI_Request* requests, Ended ended) {
  for (int done = 0; !done; sched_yield()) CHECK(MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE));
  for (int i = 0; i < n; ++i) know(ended, i);
}
static void by_waitany(int n, MPI_Request* requests, Ended ended) {
  for (int index = 0; index != MPI_UNDEFINED;) {
    CHECK(MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE));
    if (index != MPI_UNDEFINED) know(ended, index);
  }
}
static void by_testany(int n, MPI_Request* requests, Ended ended) {
  for (int index = 0, done = 0;; sched_yield()) {
    CHECK(MPI_Testany(n, requests, &index, &done, MPI_STATUS_IGNORE));
    if (done && index == MPI_UNDEFINED) return;
    if (done) know(ended, index);
  }
}
static void by_some(int n, MPI_Request* requests, Ended ended,
                    int (*some)(int, MPI_Request*, int*, int*, MPI_Status*)) {
  int indices[16];
  for (int number = 0; number != MPI_UNDEFINED; sched_yield()) {
    CHECK(some(n, requests, &number, indices, MPI_STATUSES_IGNORE));
    for (int i = 0; number != MPI_UNDEFINED && i < number; ++i) know(ended, indices[i]);
  }
}
static void by_waitsome(int n, MPI_Request* requests, Ended ended) {
  by_some(n, requests, ended, MPI_Waitsome);
}
static void by_testsome(int n, MPI_Request* requests, Ended ended) {
  by_some(n, requests, ended, MPI_Testsome);
}

static Vector vectors[kVectors];
static int seen[kVectors];
static void verify_index(int index) {
  ++seen[index];
  verify(&vectors[index]);
}

/// A program may write to its buffer once MPI_Request_get_status says that a request is complete; its wait does not
/// undo that.
static void by_get_status(int n, MPI_Request* requests, Ended ended) {
  for (int i = 0; i < n; ++i) {
    for (int done = 0; !done; sched_yield()) CHECK(MPI_Request_get_status(requests[i], &done, MPI_STATUS_IGNORE));
    know(ended, i);
    if (i < kVectors) mark(&vectors[i]);
  }
  CHECK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < kVectors; ++i) verify_marked(&vectors[i]);
}

typedef void (*Way)(int n, MPI_Request* requests, Ended ended);
static const Way ways[] = {by_wait,    by_test,     by_waitall,  by_testall,   by_waitany,
                           by_testany, by_waitsome, by_testsome, by_get_status};
enum { kWays = sizeof ways / sizeof ways[0] };

static void check_seen(void) {
  for (int i = 0; i < kVectors; ++i) wrong += seen[i] != 1;
  memset(seen, 0, sizeof seen);
}

/// Runs beside requests of other kinds.
static void nonblocking(MPI_Comm comm) {
  for (int w = 0; w < kWays; ++w) {
    MPI_Request requests[kVectors + 4];
    int32_t here = rank, sum = 0, sent = rank, received = -1;
    for (int i = 0; i < kVectors; ++i) {
      fill(&vectors[i], 10 * w + i);
      begin(&vectors[i], comm, &requests[i]);
    }
    CHECK(MPI_Iallreduce(&here, &sum, 1, MPI_INT32_T, MPI_SUM, comm, &requests[kVectors]));
    requests[kVectors + 1] = MPI_REQUEST_NULL;
    CHECK(MPI_Irecv(&received, 1, MPI_INT32_T, (rank + ranks - 1) % ranks, 7, comm, &requests[kVectors + 2]));
    CHECK(MPI_Isend(&sent, 1, MPI_INT32_T, (rank + 1) % ranks, 7, comm, &requests[kVectors + 3]));
    ways[w](kVectors + 4, requests, verify_index);
    check_seen();
    wrong += sum != ranks * (ranks - 1) / 2 || received != (rank + ranks - 1) % ranks;
    for (int i = 0; i < kVectors + 4; ++i) wrong += requests[i] != MPI_REQUEST_NULL;
  }
}

/// Calls that are complete at once, that have nothing to reduce, or whose vector is on the host at some ranks; a
/// communicator, a type and an operation that are freed before the end.
static void corners(void) {
  MPI_Request requests[kVectors];
  for (int i = 0; i < kVectors; ++i) {
    fill(&vectors[i], 100 + i);
    begin(&vectors[i], MPI_COMM_SELF, &requests[i]);
  }
  CHECK(MPI_Waitall(kVectors, requests, MPI_STATUSES_IGNORE));
  for (int i = 0; i < kVectors; ++i) verify_among(&vectors[i], 1, rank);
  CHECK(MPI_Iallreduce(vectors[0].send, vectors[0].receive, 0, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD, &requests[0]));
  CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  verify_among(&vectors[0], 1, rank);

  MPI_Comm copy;
  MPI_Datatype pair;
  MPI_Op sum;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  CHECK(MPI_Type_dup(type_with_gaps, &pair));
  CHECK(MPI_Op_create(add_with_gaps, 1, &sum));
  Vector* gaps = &vectors[4];
  fill(gaps, 200);
  CHECK(MPI_Iallreduce(gaps->in_place ? MPI_IN_PLACE : (void*)gaps->send, gaps->receive, gaps->count, pair, sum, copy,
                       &requests[0]));
  CHECK(MPI_Op_free(&sum));
  CHECK(MPI_Type_free(&pair));
  if (!free_late) CHECK(MPI_Comm_free(&copy));
  CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  if (free_late) CHECK(MPI_Comm_free(&copy));
  verify(gaps);

  int32_t mine[4] = {rank, rank, rank, rank}, sums[4] = {0};
  Vector* mixed = &vectors[1];
  fill(mixed, 300);
  for (int i = 0; i < 4; ++i) mine[i] += 300 + i;
  const int on_host = rank % 2;
  CHECK(MPI_Iallreduce(on_host           ? mine
                       : mixed->in_place ? MPI_IN_PLACE
                                         : mixed->send,
                       on_host ? sums : mixed->receive, 4, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD, &requests[0]));
  CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  if (!on_host) CHECK(to_host(sums, (Address)mixed->receive, sizeof sums));
  ++checks;
  for (int i = 0; i < 4; ++i) wrong += sums[i] != ranks * (ranks - 1) / 2 + ranks * (300 + i);
}

/// Columns of one matrix: each but the last is a request, and the program writes to the last one meanwhile.
enum { kRows = 64, kColumns = 4 };
static void add_columns(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    for (int k = 0; k < kRows; ++k)
      ((int32_t*)inout)[i * kRows * kColumns + k * kColumns] += ((int32_t*)in)[i * kRows * kColumns + k * kColumns];
}
static void columns(void) {
  int32_t values[kRows * kColumns], *matrix = make(sizeof values);
  MPI_Datatype column;
  MPI_Op sum;
  MPI_Request requests[kColumns - 1];
  CHECK(MPI_Type_vector(kRows, 1, kColumns, MPI_INT32_T, &column));
  CHECK(MPI_Type_commit(&column));
  CHECK(MPI_Op_create(add_columns, 1, &sum));
  for (int i = 0; i < kRows * kColumns; ++i) values[i] = rank + i;
  CHECK(to_gpu((Address)matrix, values, sizeof values));
  for (int c = 0; c < kColumns - 1; ++c)
    CHECK(MPI_Iallreduce(MPI_IN_PLACE, matrix + c, 1, column, sum, MPI_COMM_WORLD, &requests[c]));
  const int32_t written = 4711;
  for (int k = 0; k < kRows; ++k) CHECK(to_gpu((Address)(matrix + k * kColumns + kColumns - 1), &written, 4));
  for (int c = kColumns - 2; c >= 0; --c) CHECK(MPI_Wait(&requests[c], MPI_STATUS_IGNORE));
  CHECK(to_host(values, (Address)matrix, sizeof values));
  ++checks;
  for (int i = 0; i < kRows * kColumns; ++i)
    wrong += values[i] != (i % kColumns == kColumns - 1 ? written : ranks * (ranks - 1) / 2 + ranks * i);
  CHECK(MPI_Op_free(&sum));
  CHECK(MPI_Type_free(&column));
  CHECK(release((Address)matrix));
}

/// The same requests are started again and again, with other numbers; one of them has its vector on the host.
static void persistent(MPI_Comm comm) {
#ifdef ALLREDUCE_INIT
  MPI_Request requests[kVectors + 1];
  int32_t here = 0, sum = 0;
  for (int again = 0; again < 2; ++again) {
    for (int i = 0; i < kVectors; ++i) {
      const Vector* v = &vectors[i];
      CHECK(ALLREDUCE_INIT(v->in_place ? MPI_IN_PLACE : (void*)v->send, v->receive, v->count, type_of(v), op_of(v),
                           comm, MPI_INFO_NULL, &requests[i]));
    }
    CHECK(ALLREDUCE_INIT(&here, &sum, 1, MPI_INT32_T, MPI_SUM, comm, MPI_INFO_NULL, &requests[kVectors]));
    for (int w = 0; w < kWays; ++w) {
      if (testall_fails && ways[w] == by_testall) continue;
      if (few_ways && ways[w] != by_wait && ways[w] != by_test && ways[w] != by_waitall) continue;
      for (int i = 0; i < kVectors; ++i) fill(&vectors[i], 50 * again + 7 * w + i);
      here = rank + w;
      if (w % 2 == 0) {
        CHECK(MPI_Startall(kVectors + 1, requests));
      } else {
        for (int i = 0; i <= kVectors; ++i) CHECK(MPI_Start(&requests[i]));
      }
      ways[w](kVectors + 1, requests, verify_index);
      check_seen();
      wrong += sum != ranks * (ranks - 1) / 2 + ranks * w;
      // The requests are inactive: nothing happens any more.
      for (int i = 0; i < kVectors; ++i) mark(&vectors[i]);
      CHECK(MPI_Waitall(kVectors + 1, requests, MPI_STATUSES_IGNORE));
      for (int i = 0; i < kVectors; ++i) verify_marked(&vectors[i]);
    }
    for (int i = 0; i <= kVectors; ++i) CHECK(MPI_Request_free(&requests[i]));
  }
#else
  (void)comm;
#endif
}

/// Two persistent requests exist when MPI ends: one was used, the other was not.
static void left_behind(void) {
#ifdef ALLREDUCE_INIT
  static MPI_Request requests[2];
  for (int i = 0; i < 2; ++i)
    CHECK(ALLREDUCE_INIT(MPI_IN_PLACE, vectors[3].receive, 3, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                         &requests[i]));
  fill(&vectors[3], 400);
  CHECK(MPI_Start(&requests[0]));
  CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  verify(&vectors[3]);
#endif
}

typedef struct {
  MPI_Comm comm;
  MPI_Request request;
  Vector vector;
  int full;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
} Channel;

static void* complete_others(void* argument) {
  Channel* channel = argument;
  for (int call = 0; call < 30; ++call) {
    pthread_mutex_lock(&channel->mutex);
    while (!channel->full) pthread_cond_wait(&channel->changed, &channel->mutex);
    CHECK(MPI_Wait(&channel->request, MPI_STATUS_IGNORE));
    CHECK(set_current(context));
    verify(&channel->vector);
    CHECK(set_current(NULL));
    channel->full = 0;
    pthread_cond_broadcast(&channel->changed);
    pthread_mutex_unlock(&channel->mutex);
  }
  return NULL;
}
static void* begin_for_others(void* argument) {
  Channel* channel = argument;
  CHECK(set_current(context));
  for (int call = 0; call < 30; ++call) {
    pthread_mutex_lock(&channel->mutex);
    while (channel->full) pthread_cond_wait(&channel->changed, &channel->mutex);
    int32_t values[kMost];
    channel->vector.seed = call;
    for (int i = 0; i < channel->vector.count; ++i) values[i] = rank + call + i % 7;
    CHECK(to_gpu((Address)channel->vector.receive, values, (size_t)channel->vector.count * 4));
    begin(&channel->vector, channel->comm, &channel->request);
    channel->full = 1;
    pthread_cond_broadcast(&channel->changed);
    pthread_mutex_unlock(&channel->mutex);
  }
  return NULL;
}

/// One thread begins a request and another completes it, several pairs side by side; the completing thread has no
/// current GPU.
static void threads(void) {
  enum { kPairs = 3 };
  static Channel channels[kPairs];
  pthread_t made[2 * kPairs];
  for (int i = 0; i < kPairs; ++i) {
    Channel* channel = &channels[i];
    channel->vector = (Vector){.count = 100 * (i + 1), .in_place = 1, .receive = make(kMost * 4)};
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &channel->comm));
    pthread_mutex_init(&channel->mutex, NULL);
    pthread_cond_init(&channel->changed, NULL);
  }
  for (int i = 0; i < kPairs; ++i) {
    pthread_create(&made[2 * i], NULL, begin_for_others, &channels[i]);
    pthread_create(&made[2 * i + 1], NULL, complete_others, &channels[i]);
  }
  for (int i = 0; i < 2 * kPairs; ++i) pthread_join(made[i], NULL);
  for (int i = 0; i < kPairs; ++i) CHECK(MPI_Comm_free(&channels[i].comm));
}

/// A copy that the driver refuses is an error where the request is completed, at that one rank only.
static void survive(void) {
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int failures = 0;
  for (int call = 0; call < 4; ++call) {
    fill(&vectors[1], call);
    begin(&vectors[1], MPI_COMM_WORLD, &request);
    if (MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      ++failures;
    else
      verify(&vectors[1]);
  }
  printf("rank %d: %d failed\n", rank, failures);
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  int provided = 0;
  const int with_threads = strcmp(arguments[1], "threads") == 0;
  MPI_Init_thread(&count, &arguments, with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  look_at_library();
  load(atoi(arguments[2]));
  MPI_Datatype element;
  const int one = 1;
  const MPI_Aint at = 4 * kGap;
  const MPI_Datatype part = MPI_INT32_T;
  MPI_Type_create_struct(1, &one, &at, &part, &element);
  MPI_Type_create_resized(element, 0, 4 * kStride, &type_with_gaps);
  MPI_Type_commit(&type_with_gaps);
  MPI_Op_create(add_with_gaps, 1, &add);
  for (int i = 0; i < kVectors; ++i) vectors[i] = make_vector(i);
  if (strcmp(arguments[1], "survive") == 0) {
    survive();
  } else if (with_threads) {
    if (provided == MPI_THREAD_MULTIPLE) threads();
  } else {
    nonblocking(MPI_COMM_WORLD);
    corners();
    columns();
    persistent(MPI_COMM_WORLD);
    left_behind();
  }
  if (strcmp(arguments[1], "everything") != 0)
    for (int i = 0; i < kVectors; ++i) drop(&vectors[i]);
  MPI_Type_free(&element);
  MPI_Type_free(&type_with_gaps);
  MPI_Op_free(&add);
  printf("rank %d: %d checks, %d wrong\n", rank, checks, wrong);
  MPI_Finalize();
  return 0;
}
