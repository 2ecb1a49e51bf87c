// SPDX-License-Identifier: BSD-3-Clause
// One binary for every MPI. There is no mpi.h here: a handle is whatever 64-bit word the program put into the register,
// and the few constants that we look at come from a table of the three ABI families that exist:
//   openmpi   Open MPI 4 and 5: handles are addresses of objects
//   mpich     MPICH 3.3 to 5, Intel MPI, Cray MPICH, MVAPICH: handles are 32-bit integers
//   standard  programs built for the ABI of MPI 5.0 (libmpi_abi), whoever implements it: handles are opaque pointers
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace topowise::interpose {

static_assert(sizeof(void*) == 8, "a handle must fit into 64 bits, and so must MPI_Count");
static_assert(std::endian::native == std::endian::little,
              "a 32-bit handle that MPI stores must be the lower half of a Word");

/// An MPI handle as it travels in a register or a stack slot. With 32-bit handles the upper half is undefined: see
/// Family::handle().
using Word = std::intptr_t;
/// MPI_Count and MPI_Aint; 64 bits in every family on 64-bit machines.
using Count = std::int64_t;

struct Family {
  const char* name;
  std::size_t handle_bytes;  ///< in memory: arrays of handles, out-arguments
  int root;                  ///< MPI_ROOT
  int proc_null;
  int cart, graph, dist_graph;  ///< what MPI_Topo_test says
  const void* in_place;
  Word comm_world, comm_self;
  Word comm_null, win_null, type_null;
  Word op_no_op;

  /// The defined part of a handle.
  [[nodiscard]] Word handle(Word word) const {
    return handle_bytes == 4 ? static_cast<Word>(static_cast<std::uint32_t>(word)) : word;
  }
  /// Handle number `index` of an array in memory.
  [[nodiscard]] Word handle_at(const void* array, std::size_t index = 0) const {
    return handle_bytes == 4 ? static_cast<Word>(static_cast<const std::uint32_t*>(array)[index])
                             : static_cast<const Word*>(array)[index];
  }
};

/// The MPI library of this process: its family, and the functions of it that we call, never on the way of a message.
/// Those from `Session` on may be null, where the library is too old or the family does not need them.
struct Mpi {
  Family family;
  int (*Initialized)(int*);
  int (*Finalized)(int*);
  int (*Query_thread)(int*);
  int (*Comm_rank)(Word, int*);
  int (*Comm_size)(Word, int*);
  int (*Comm_test_inter)(Word, int*);
  int (*Comm_group)(Word, Word*);
  int (*Comm_remote_group)(Word, Word*);
  int (*Comm_get_parent)(Word*);
  int (*Comm_create_keyval)(void*, void*, int*, void*);
  int (*Comm_set_attr)(Word, int, void*);
  int (*Win_get_group)(Word, Word*);
  int (*Group_size)(Word, int*);
  int (*Group_rank)(Word, int*);
  int (*Group_translate_ranks)(Word, int, const int*, Word, int*);
  int (*Group_free)(Word*);
  int (*Type_size_x)(Word, Count*);
  int (*Topo_test)(Word, int*);
  int (*Cartdim_get)(Word, int*);
  int (*Cart_shift)(Word, int, int, int*, int*);
  int (*Graph_neighbors_count)(Word, int, int*);
  int (*Graph_neighbors)(Word, int, int, int*);
  int (*Dist_graph_neighbors_count)(Word, int*, int*, int*);
  int (*Dist_graph_neighbors)(Word, int, int*, int*, int, int*, int*);
  int (*Group_from_session_pset)(Word, const char*, Word*);
  // Fortran handle to C handle; null where they are the same integers.
  Word (*Comm_f2c)(int);
  Word (*Type_f2c)(int);
  Word (*Win_f2c)(int);
  Word (*Op_f2c)(int);
  Word (*Request_f2c)(int);
  Word (*Session_f2c)(int);
};

/// Found at the first call, then constant. Null if no MPI library is loaded or it lacks a function that we cannot do
/// without.
[[nodiscard]] const Mpi* mpi() noexcept;

}  // namespace topowise::interpose
