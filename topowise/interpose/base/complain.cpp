// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/base/complain.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace topowise::interpose {

void complain(int rank, const char* format, ...) noexcept {
  char line[1024];
  int begin = rank < 0 ? std::snprintf(line, sizeof(line), "topowise: ")
                       : std::snprintf(line, sizeof(line), "topowise: rank %d: ", rank);
  begin = std::max(begin, 0);
  const std::size_t left = sizeof(line) - static_cast<std::size_t>(begin) - 1;  // one byte for the newline
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line + begin, left, format, arguments);
  va_end(arguments);
  const std::size_t text = std::min(static_cast<std::size_t>(std::max(length, 0)), left - 1);
  const std::size_t end = static_cast<std::size_t>(begin) + text;
  line[end] = '\n';
  if (::write(STDERR_FILENO, line, end + 1) < 0) return;  // stderr is closed: nobody to tell
}

bool speaks_for_machine(int rank) noexcept {
  if (rank == 0) return true;
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (const char* value = std::getenv(variable)) return std::strcmp(value, "0") == 0;
  return false;
}

}  // namespace topowise::interpose
