/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchanges of Rashti et al. (EuroMPI 2011), section 5.1:  paper_exchange SHAPE WEIGHT BYTES TIMES
 *
 * SHAPE 8x4 (a torus), 4x4x2, 2x2x2x2x2 ...: the Cartesian-model exchange. Along its first dimension,
 * vertices send WEIGHT times as much as along the others. MPI_Graph_create gets each edge of that dimension WEIGHT
 * times, with reorder = true. SHAPE all-to-all:8x4: MPI_Alltoall of BYTES a pair along the first dimension; the edges
 * are its pairs.
 *
 * Prints "VERTEX HOST" for each vertex, and "exchange MS", the median. Exit status 1 if a block comes from a wrong
 * rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMostDimensions = 8, kTimes = 1000 };

static int dimensions = 0, extents[kMostDimensions], ranks, all_to_all = 0;

/* The vertex `step` further along a dimension. */
static int along(int vertex, int axis, int step) {
  int stride = 1;
  for (int a = dimensions - 1; a > axis; --a) stride *= extents[a];
  const int extent = extents[axis], coordinate = vertex / stride % extent;
  return vertex + ((coordinate + step + extent) % extent - coordinate) * stride;
}

static MPI_Comm create(int weight) {
  const int most = ranks * (all_to_all ? extents[0] : 2 * (weight + dimensions));
  int *index = malloc((size_t)ranks * sizeof(int)), *edges = malloc((size_t)most * sizeof(int)), count = 0;
  for (int v = 0; v < ranks; ++v) {
    for (int step = 1; all_to_all && step < extents[0]; ++step) edges[count++] = along(v, 0, step);
    for (int axis = 0; !all_to_all && axis < dimensions; ++axis) {
      for (int copy = 0; copy < (axis == 0 ? weight : 1); ++copy) {
        edges[count++] = along(v, axis, -1);
        edges[count++] = along(v, axis, 1);
      }
    }
    index[v] = count;
  }
  MPI_Comm made;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 1, &made);
  free(index);
  free(edges);
  return made;
}

static int compare(const void* a, const void* b) {
  const double one = *(const double*)a, other = *(const double*)b;
  return (one > other) - (one < other);
}

/* Exchanges with the neighbours along every dimension. Returns how many blocks came from a wrong rank. */
static int exchange(MPI_Comm graph, int vertex, int weight, int bytes, char* out, char* in) {
  int failures = 0;
  for (int axis = 0; axis < dimensions; ++axis) {
    const int size = bytes * (axis == 0 ? weight : 1);
    for (int step = -1; step <= 1; step += 2) {
      const int to = along(vertex, axis, step), from = along(vertex, axis, -step);
      int got = -1;
      memcpy(out, &vertex, sizeof(vertex));
      MPI_Sendrecv(out, size, MPI_BYTE, to, axis, in, size, MPI_BYTE, from, axis, graph, MPI_STATUS_IGNORE);
      memcpy(&got, in, sizeof(got));
      failures += size >= (int)sizeof(got) && got != from;
    }
  }
  return failures;
}

/* MPI_Alltoall among the vertices that differ in the first coordinate only, in the order of that coordinate. */
static int reach_all(MPI_Comm line, int vertex, int bytes, char* out, char* in) {
  int failures = 0, got, place;
  MPI_Comm_rank(line, &place);
  for (int other = 0; other < extents[0]; ++other) memcpy(out + (size_t)other * (size_t)bytes, &vertex, sizeof(vertex));
  MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, line);
  for (int other = 0; other < extents[0]; ++other) {
    memcpy(&got, in + (size_t)other * (size_t)bytes, sizeof(got));
    failures += got != along(vertex, 0, other - place);
  }
  return failures;
}

int main(int count, char** words) {
  static const char kAllToAll[] = "all-to-all:";
  MPI_Init(&count, &words);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  all_to_all = strncmp(words[1], kAllToAll, sizeof(kAllToAll) - 1) == 0;
  for (char* word = strtok(words[1] + (all_to_all ? sizeof(kAllToAll) - 1 : 0), "x"); word != NULL;
       word = strtok(NULL, "x"))
    extents[dimensions++] = atoi(word);
  const int weight = atoi(words[2]), bytes = atoi(words[3]), times = atoi(words[4]);
  MPI_Comm graph = create(getenv("UNWEIGHTED") != NULL ? 1 : weight);
  int vertex, failures = 0;
  MPI_Comm_rank(graph, &vertex);
  char host[64] = "", *all = malloc((size_t)ranks * sizeof(host));
  gethostname(host, sizeof(host) - 1);
  MPI_Gather(host, sizeof(host), MPI_CHAR, all, sizeof(host), MPI_CHAR, 0, graph);
  for (int v = 0; v < ranks && vertex == 0; ++v) printf("%d %s\n", v, all + (size_t)v * sizeof(host));
  const size_t most = (size_t)bytes * (size_t)(all_to_all ? extents[0] : weight) + sizeof(int);
  char *out = malloc(most), *in = malloc(most);
  MPI_Comm line;
  MPI_Comm_split(graph, all_to_all ? vertex % (ranks / extents[0]) : 0, vertex, &line);
  double spent[kTimes];
  for (int t = 0; t < times && t < kTimes; ++t) {
    MPI_Barrier(graph);
    spent[t] = -MPI_Wtime();
    failures += all_to_all ? reach_all(line, vertex, bytes, out, in) : exchange(graph, vertex, weight, bytes, out, in);
    spent[t] += MPI_Wtime();
  }
  if (times > 0) MPI_Allreduce(MPI_IN_PLACE, spent, times, MPI_DOUBLE, MPI_MAX, graph);
  qsort(spent, (size_t)times, sizeof(double), compare);
  if (vertex == 0 && times > 0) printf("exchange %.3f\n", 1e3 * spent[times / 2]);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, graph);
  MPI_Finalize();
  return failures != 0;
}
