// SPDX-License-Identifier: BSD-3-Clause
// The MPI library of the program. One binary serves all: whatever 64-bit word the program put into the register is a
// handle, and the family of the library is found at run time.
#pragma once

#include <atomic>
#include <cstdint>

#include <topowise/mpi/family.hpp>

namespace topowise::interpose {

using mpi::Family;
using mpi::Word;
/// MPI_Count and MPI_Aint; 64 bits in every family on 64-bit machines.
using Count = std::int64_t;

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

/// The MPI library, found at the first call, then constant. Null if none is loaded or it lacks a function that we
/// cannot do without.
[[nodiscard]] const Mpi* mpi() noexcept;

namespace detail {
/// The bits of a handle that are defined, once MPI is found.
inline constinit std::atomic<Word> handle_bits{~Word{0}};
}  // namespace detail

/// Family::handle() for the way of a message: half a nanosecond instead of two.
[[nodiscard]] inline Word defined_part(Word handle) noexcept {
  return handle & detail::handle_bits.load(std::memory_order_relaxed);
}

}  // namespace topowise::interpose
