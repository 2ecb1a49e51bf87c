// SPDX-License-Identifier: BSD-3-Clause
// Also compiled into the preloaded library: uses the standard library only.
#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace topowise {

/// True if a file of that many bytes keeps within the limit of a file's size (`ulimit -f`). A write beyond the limit is
/// not only an error (EFBIG): the system also raises SIGXFSZ, which ends a process that does not expect it.
[[nodiscard]] inline bool keeps_file_size_limit(std::uint64_t bytes) noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

}  // namespace topowise
