// SPDX-License-Identifier: BSD-3-Clause
// Libraries that pass reorder = true and go on with the ranks of the old communicator: their calls are left as they
// are, unless the user names them (--reorder-include).
#pragma once

#include <array>

namespace topowise::interpose::reordering {

struct KnownLibrary {
  const char* name;
  const char* calls;  ///< the MPI functions in question, as in the names of files
  const char* file;   ///< the library's file, as in the names of files
  /// In a program that is linked with it statically: the functions that call MPI, from the library's own namespace or
  /// prefix on. A user's function may have such words in its name, its parameters or its result.
  const char* functions;
  const char* seen;  ///< the version that was read, or was seen to do so
  const char* reason;
};

/// Each row was read in the library's source. A later version that passes false loses nothing.
inline constexpr std::array<KnownLibrary, 4> kKnownLibraries{{
    {"PETSc", "MPI_Dist_graph_create_adjacent", "libpetsc*", "PetscSFGetDistComm_Neighbor*", "version 3.18",
     "-sf_type neighbor exchanges data that the processes have by their old ranks"},
    {"Nektar++", "MPI_Dist_graph_create_adjacent", "libMultiRegions*", "Nektar::*NeighborAllToAllV*",
     "its public source", "AssemblyCommDG exchanges traces that the processes have by their old ranks"},
    {"COSMA", "MPI_Dist_graph_create", "libcosma*", "cosma::*", "commit 05be3bc8",
     "it asks for its rank before the call only"},
    {"DOLFINx", "MPI_Dist_graph_create*", "libdolfinx*", "dolfinx::*", "before pull request 1617 of July 2021",
     "owners of indices are told by the old ranks; later versions pass false"},
}};

/// Whether any row has this MPI function.
[[nodiscard]] bool is_known_call(const char* mpi_function) noexcept;

/// The row of the call; null if there is none. `function`: of the program, as names_of() gives it; or empty.
[[nodiscard]] const KnownLibrary* known_library(const char* mpi_function, const char* file,
                                                const char* function) noexcept;

}  // namespace topowise::interpose::reordering
