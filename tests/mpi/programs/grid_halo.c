// SPDX-License-Identifier: BSD-3-Clause
// grid_halo EXTENTS FACES TIMES: a halo exchange on an open grid by MPI_Cart_create with reorder = 1, as "2x4" or
// "4x2x2". FACES cube: the grid cuts a cube, so that the face along an axis of extent e has e * 2048 bytes. FACES
// alike: 8192 bytes each. FACES A,B: as many bytes along each axis. Every face says from which cell it comes, and along
// which axis, and is checked.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4, MOST_BYTES = 1 << 20 };

static unsigned char out[MOST_BYTES], in[MOST_BYTES];

static int numbers(const char* text, char between, int* values) {
  int count = 0;
  for (const char* at = text; at != NULL && count < MOST; at = strchr(at, between)) {
    if (*at == between) ++at;
    values[count++] = atoi(at);
  }
  return count;
}

static void check(int source, int cell, int axis, int bytes) {
  const unsigned char expected = (unsigned char)(16 * source + axis);
  if (source == MPI_PROC_NULL || (in[0] == expected && in[bytes - 1] == expected)) return;
  fprintf(stderr, "cell %d: a wrong face from cell %d along axis %d\n", cell, source, axis);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int extents[MOST], bytes[MOST], open[MOST] = {0}, cell, low, high;
  const int axes = count == 4 ? numbers(words[1], 'x', extents) : 0;
  if (axes == 0) {
    fprintf(stderr, "grid_halo EXTENTS cube|alike|A,B TIMES\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (int axis = 0; axis < axes; ++axis) bytes[axis] = strcmp(words[2], "cube") == 0 ? 2048 * extents[axis] : 8192;
  if (strchr(words[2], ',') != NULL) numbers(words[2], ',', bytes);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, axes, extents, open, 1, &grid);
  MPI_Comm_rank(grid, &cell);
  for (int time = 0; time < atoi(words[3]); ++time) {
    for (int axis = 0; axis < axes; ++axis) {
      MPI_Cart_shift(grid, axis, 1, &low, &high);
      memset(out, 16 * cell + axis, (size_t)bytes[axis]);
      MPI_Sendrecv(out, bytes[axis], MPI_BYTE, high, 0, in, bytes[axis], MPI_BYTE, low, 0, grid, MPI_STATUS_IGNORE);
      check(low, cell, axis, bytes[axis]);
      MPI_Sendrecv(out, bytes[axis], MPI_BYTE, low, 0, in, bytes[axis], MPI_BYTE, high, 0, grid, MPI_STATUS_IGNORE);
      check(high, cell, axis, bytes[axis]);
    }
  }
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
