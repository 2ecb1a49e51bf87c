// SPDX-License-Identifier: BSD-3-Clause
// Where the program calls MPI: printed in a form that addr2line and a reader understand, and compared with the user's
// lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <topowise/interpose/reordering/known_libraries.hpp>

namespace topowise::interpose::reordering {

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
