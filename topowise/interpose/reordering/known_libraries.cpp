// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/reordering/known_libraries.hpp>

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>

namespace topowise::interpose::reordering {
namespace {

/// Where the function's own name begins: the names of templates have the type of the result before it, and a blank.
const char* without_result(const char* function) noexcept {
  const char* begin = function;
  std::size_t depth = 0;
  for (const char* at = function; *at != '\0'; ++at) {
    if (*at == '<' || *at == '(') ++depth;
    if ((*at == '>' || *at == ')') && depth > 0) --depth;
    if (*at == ' ' && depth == 0) begin = at + 1;
  }
  return begin;
}

}  // namespace

bool is_known_call(const char* mpi_function) noexcept {
  return std::ranges::any_of(kKnownLibraries,
                             [&](const KnownLibrary& row) { return ::fnmatch(row.calls, mpi_function, 0) == 0; });
}

const KnownLibrary* known_library(const char* mpi_function, const char* file, const char* function) noexcept {
  for (const KnownLibrary& row : kKnownLibraries) {
    if (::fnmatch(row.calls, mpi_function, 0) != 0) continue;
    if (::fnmatch(row.file, file, 0) == 0 || ::fnmatch(row.functions, without_result(function), 0) == 0) return &row;
  }
  return nullptr;
}

}  // namespace topowise::interpose::reordering
