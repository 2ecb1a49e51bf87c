// SPDX-License-Identifier: BSD-3-Clause
// Heat spreads over a plate: a Jacobi solver whose ranks form a 2D grid and exchange the edges of their blocks.
//
//   mpirun -n 16 halo_exchange [--size ROWSxCOLUMNS] [--iterations N]
//
// --size is the block of one rank. A block of 512 x 1536 points sends 1536 numbers to the ranks above and below and 512
// to those at its sides, so the vertical direction carries three times as much. The program knows nothing of topowise:
// as such programs do, it takes the GPU whose number is its local rank. It computes on the host, so it runs anywhere,
// and it prints the GPU that it would take.
#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kUp, kDown, kLeft, kRight, kDirections };
enum { kNameLength = 64 };

typedef struct {
  int rows, columns;  // without the frame of width 1 that holds the neighbours' edges
  double* now;
  double* next;
} Block;

typedef struct {
  int rank, grid_row, grid_column;
  char gpu[kNameLength];
} RankOnGrid;

static size_t at(const Block* block, int row, int column) {
  return (size_t)row * (size_t)(block->columns + 2) + (size_t)column;
}

// Reads `text`, which must be "ROWSxCOLUMNS"; 0 if it is not.
static int read_size(const char* text, int* rows, int* columns) {
  char rest;
  return sscanf(text, "%dx%d%c", rows, columns, &rest) == 2 && *rows > 0 && *columns > 0 && *rows <= 32768 &&
         *columns <= 32768;
}

static int read_number(const char* text, int* number) {
  char rest;
  return sscanf(text, "%d%c", number, &rest) == 1 && *number > 0;
}

// Takes entry `local_rank` of the visible GPUs; the first entry follows the last one again.
static void choose_gpu(int local_rank, char* name) {
  const char* visible = getenv("CUDA_VISIBLE_DEVICES");
  if (visible == NULL || *visible == '\0') {
    snprintf(name, kNameLength, "%d", local_rank);
    return;
  }
  int count = 1;
  for (const char* c = visible; *c != '\0'; ++c) count += *c == ',';
  const char* entry = visible;
  for (int skip = local_rank % count; skip > 0; --skip) entry = strchr(entry, ',') + 1;
  snprintf(name, kNameLength, "%.*s", (int)strcspn(entry, ","), entry);
}

static int local_rank_of(MPI_Comm comm) {
  MPI_Comm machine;
  int local_rank;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &local_rank);
  MPI_Comm_free(&machine);
  return local_rank;
}

static void exchange_halos(const Block* block, MPI_Comm grid, const int neighbors[], MPI_Datatype column_type) {
  double* const now = block->now;
  double* const edge[] = {&now[at(block, 1, 1)], &now[at(block, block->rows, 1)], &now[at(block, 1, 1)],
                          &now[at(block, 1, block->columns)]};
  double* const halo[] = {&now[at(block, 0, 1)], &now[at(block, block->rows + 1, 1)], &now[at(block, 1, 0)],
                          &now[at(block, 1, block->columns + 1)]};
  MPI_Request requests[2 * kDirections];
  MPI_Status statuses[2 * kDirections];
  int pending = 0;
  for (int way = 0; way < kDirections; ++way) {
    const MPI_Datatype type = way < kLeft ? MPI_DOUBLE : column_type;
    const int count = way < kLeft ? block->columns : 1;
    const int opposite = way ^ 1;  // a message that goes up is received from below
    MPI_Irecv(halo[way], count, type, neighbors[way], opposite, grid, &requests[pending++]);
    MPI_Isend(edge[way], count, type, neighbors[way], way, grid, &requests[pending++]);
  }
  MPI_Waitall(pending, requests, statuses);
}

// Does one Jacobi step and returns the sum of the squared changes.
static double relax(Block* block) {
  double change = 0;
  for (int row = 1; row <= block->rows; ++row) {
    for (int column = 1; column <= block->columns; ++column) {
      const size_t here = at(block, row, column);
      const double value = 0.25 * (block->now[at(block, row - 1, column)] + block->now[at(block, row + 1, column)] +
                                   block->now[here - 1] + block->now[here + 1]);
      const double difference = value - block->now[here];
      change += difference * difference;
      block->next[here] = value;
    }
  }
  double* const old = block->now;
  block->now = block->next;
  block->next = old;
  return change;
}

// The plate is 0 everywhere and 1 along its upper edge. Both buffers are filled, since the frame is never computed.
static Block make_block(int rows, int columns, int is_top) {
  Block block = {rows, columns, NULL, NULL};
  const size_t points = (size_t)(rows + 2) * (size_t)(columns + 2);
  block.now = calloc(points, sizeof(double));
  block.next = calloc(points, sizeof(double));
  if (block.now == NULL || block.next == NULL) {
    fprintf(stderr, "halo_exchange: error: no memory for a block of %dx%d points\n", rows, columns);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int column = 0; is_top && column < columns + 2; ++column) block.now[column] = block.next[column] = 1.0;
  return block;
}

static void print_ranks(MPI_Comm grid, const int coordinates[]) {
  int rank, ranks;
  MPI_Comm_rank(grid, &rank);
  MPI_Comm_size(grid, &ranks);
  RankOnGrid mine = {rank, coordinates[0], coordinates[1], ""};
  choose_gpu(local_rank_of(grid), mine.gpu);
  RankOnGrid* all = rank == 0 ? malloc((size_t)ranks * sizeof(RankOnGrid)) : NULL;
  MPI_Gather(&mine, (int)sizeof(RankOnGrid), MPI_BYTE, all, (int)sizeof(RankOnGrid), MPI_BYTE, 0, grid);
  for (int i = 0; all != NULL && i < ranks; ++i)
    printf("rank %2d at (%d, %d) takes GPU %s\n", all[i].rank, all[i].grid_row, all[i].grid_column, all[i].gpu);
  free(all);
}

static int usage(int rank) {
  if (rank == 0) fprintf(stderr, "usage: halo_exchange [--size ROWSxCOLUMNS] [--iterations N]\n");
  MPI_Finalize();
  return 2;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, rows = 512, columns = 1536, iterations = 20;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 1; i < argc; i += 2) {
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    const int known = strcmp(argv[i], "--size") == 0         ? read_size(value, &rows, &columns)
                      : strcmp(argv[i], "--iterations") == 0 ? read_number(value, &iterations)
                                                             : 0;
    if (!known) return usage(rank);
  }

  int dims[2] = {0, 0};
  const int open_ends[2] = {0, 0};
  int coordinates[2], neighbors[kDirections];
  MPI_Comm grid;
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, open_ends, 1, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, coordinates);
  MPI_Cart_shift(grid, 0, 1, &neighbors[kUp], &neighbors[kDown]);
  MPI_Cart_shift(grid, 1, 1, &neighbors[kLeft], &neighbors[kRight]);
  print_ranks(grid, coordinates);

  MPI_Datatype column_type;
  MPI_Type_vector(rows, 1, columns + 2, MPI_DOUBLE, &column_type);
  MPI_Type_commit(&column_type);
  Block block = make_block(rows, columns, coordinates[0] == 0);
  double change = 0;
  MPI_Barrier(grid);
  const double start = MPI_Wtime();
  for (int i = 0; i < iterations; ++i) {
    exchange_halos(&block, grid, neighbors, column_type);
    change = relax(&block);
  }
  const double seconds = MPI_Wtime() - start;

  double total_change = 0, slowest = 0;
  MPI_Reduce(&change, &total_change, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, grid);
  if (rank == 0) {
    printf("%d ranks as %dx%d, blocks of %dx%d points, %d iterations: last change %.6e\n", ranks, dims[0], dims[1],
           rows, columns, iterations, sqrt(total_change));
    printf("%.3f ms per iteration\n", 1e3 * slowest / iterations);
  }
  MPI_Type_free(&column_type);
  free(block.now);
  free(block.next);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
