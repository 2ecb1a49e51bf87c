// SPDX-License-Identifier: BSD-3-Clause
// The functions of MPI that reordering calls: never those that the program sees, so that nothing of it is recorded or
// reordered again.
#pragma once

#include <topowise/interpose/base/abi.hpp>

namespace topowise::interpose::reordering {

struct Calls {
  int (*Gather)(const void*, int, Word, void*, int, Word, int, Word);
  int (*Gatherv)(const void*, int, Word, void*, const int*, const int*, Word, int, Word);
  int (*Ibcast)(void*, int, Word, int, Word, Word*);
  int (*Iscatter)(const void*, int, Word, void*, int, Word, int, Word, Word*);
  int (*Scatter)(const void*, int, Word, void*, int, Word, int, Word);
  int (*Test)(Word*, int*, void*);
  int (*Send)(const void*, int, Word, int, int, Word);
  int (*Recv)(void*, int, Word, int, int, Word, void*);
  int (*Sendrecv)(const void*, int, Word, int, int, void*, int, Word, int, int, Word, void*);
  int (*Comm_dup)(Word, Word*);
  int (*Comm_split)(Word, int, int, Word*);
  int (*Comm_free)(Word*);
  int (*Comm_call_errhandler)(Word, int);
  int (*Cart_create)(Word, int, const int*, const int*, int, void*);
  int (*Graph_create)(Word, int, const int*, const int*, int, void*);
  int (*Dist_graph_create)(Word, int, const int*, const int*, const int*, const int*, Word, int, void*);
  int (*Dist_graph_create_adjacent)(Word, int, const int*, const int*, int, const int*, const int*, Word, int, void*);
  int (*Cart_map)(Word, int, const int*, const int*, int*);
  int (*Graph_map)(Word, int, const int*, const int*, int*);
};

/// The functions; null where the MPI library lacks one of them.
[[nodiscard]] const Calls* calls() noexcept;

/// Whether this job asks for reordering in the program's calls, and this MPI library has what it takes.
[[nodiscard]] bool wanted() noexcept;

/// MPI_UNDEFINED, the same in all families.
inline constexpr int kUndefined = -32766;

}  // namespace topowise::interpose::reordering
