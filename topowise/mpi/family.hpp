// SPDX-License-Identifier: BSD-3-Clause
// There is no mpi.h here: a handle is a 64-bit word, and the few constants that we look at come from a table of the
// three ABI families that exist:
//   openmpi   Open MPI 4 and 5: handles are addresses of objects
//   mpich     MPICH 3.3 to 5, Intel MPI, Cray MPICH, MVAPICH: handles are 32-bit integers
//   standard  programs built for the ABI of MPI 5.0 (libmpi_abi), whoever implements it: handles are opaque pointers
// Also compiled into the preloaded library: uses the standard library only.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace topowise::mpi {

static_assert(sizeof(void*) == 8, "a handle must fit into 64 bits, and so must MPI_Count");
static_assert(std::endian::native == std::endian::little,
              "a 32-bit handle that MPI stores must be the lower half of a Word");

/// An MPI handle as it travels in a register or a stack slot. With 32-bit handles the upper half is undefined: see
/// Family::handle().
using Word = std::intptr_t;

struct Family {
  const char* name;
  std::size_t handle_bytes;  ///< size of a handle in memory, as in arrays of handles and out-arguments
  int root;                  ///< MPI_ROOT
  int proc_null;
  int cart, graph, dist_graph;  ///< what MPI_Topo_test says
  int thread_funneled, thread_multiple;
  int error_argument;  ///< MPI_ERR_ARG
  int error_other;     ///< MPI_ERR_OTHER
  const void* in_place;
  void* status_ignore;
  Word comm_world, comm_self;
  Word comm_null, win_null, type_null;
  Word type_byte;
  Word op_no_op;
  const int* unweighted;  ///< MPI_UNWEIGHTED
  const int* weights_empty;

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

/// Address of an object of the MPI library, or null.
using ObjectAddress = std::function<const void*(const char*)>;

/// The family of the library whose file is `path`. Goes by the file, not by the library's version, because one process
/// may have several MPI libraries mapped, and MPICH's own library knows MPI_Abi_get_version too.
[[nodiscard]] Family family_of(const char* path, const ObjectAddress& object);

}  // namespace topowise::mpi
