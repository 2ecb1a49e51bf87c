// SPDX-License-Identifier: BSD-3-Clause
// Where the program calls MPI: printed in a form that addr2line and a reader understand, and compared with the user's
// lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <array>

namespace topowise::interpose::reordering {

// Libraries that pass reorder = true and go on with the ranks of the old communicator: their calls are left as they
// are, unless the user names them (--reorder-include).

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

/// The call that asks for reordering.
struct CallSite {
  const char* function;  ///< "MPI_Cart_create"
  const void* address;   ///< where the program goes on after the call; null: the program made no call
  bool possible = true;  ///< false: what is asked for cannot be done, whatever the lists say
};

/// A call site by the names that a user may give it.
struct SiteNames {
  std::string mpi_function;         ///< MPI_Cart_create
  std::string file;                 ///< name of the program or library, without its folder
  std::string place;                ///< file+0x1d3f: an address inside the call, as addr2line takes it
  std::string function{};           ///< of the program; empty if the file has no names
  std::string place_in_function{};  ///< function+0x2b

  /// "app+0x1d3f (setup+0x2b)"
  [[nodiscard]] std::string text() const;
  /// Which entries of a list such as "MPI_Cart_create,libpetsc*,app+0x1d3f" name this call: a bit each, in their order,
  /// the last one for the 64th and all behind it. '*', '?' and [...] are as in the names of files.
  [[nodiscard]] std::uint64_t in(const char* list) const;
};

/// The entries between commas, without blanks around them; none of a list that is null.
[[nodiscard]] std::vector<std::string> entries_of(const char* list);

[[nodiscard]] SiteNames names_of(const CallSite& site);

/// "MPI_Cart_create at app+0x1d3f (setup+0x2b): WHAT"
[[nodiscard]] std::string about(const CallSite& site, const std::string& what);

/// What the user's lists permit, and which of their entries name this call.
struct Permission {
  bool given = true;
  const KnownLibrary* known = nullptr;  ///< not given because this library makes the call
  std::uint64_t only = 0;
  std::uint64_t except = 0;
  std::uint64_t include = 0;
};
[[nodiscard]] Permission permission(const CallSite& site);

// Names of functions, also of those that a program does not export: the loader knows only exported ones.

struct Symbol {
  std::string name;      ///< demangled, without parameters
  std::uint64_t offset;  ///< of the address in the function
};

/// The function of an ELF file that holds an address, as the file counts addresses. Nothing if the file is stripped,
/// cannot be read, or is not what it should be.
[[nodiscard]] std::optional<Symbol> function_at(const char* path, std::uint64_t address);

}  // namespace topowise::interpose::reordering
