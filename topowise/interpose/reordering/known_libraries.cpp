// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/known_libraries.hpp>

#include <fnmatch.h>

#include <algorithm>

namespace topowise::interpose::reordering {

bool is_known_call(const char* mpi_function) noexcept {
  return std::ranges::any_of(kKnownLibraries,
                             [&](const KnownLibrary& row) { return ::fnmatch(row.calls, mpi_function, 0) == 0; });
}

const KnownLibrary* known_library(const char* mpi_function, const char* file, const char* function) noexcept {
  for (const KnownLibrary& row : kKnownLibraries) {
    if (::fnmatch(row.calls, mpi_function, 0) != 0) continue;
    if (::fnmatch(row.file, file, 0) == 0 || ::fnmatch(row.functions, function, 0) == 0) return &row;
  }
  return nullptr;
}

}  // namespace topowise::interpose::reordering
