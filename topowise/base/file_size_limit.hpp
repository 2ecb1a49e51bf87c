// SPDX-License-Identifier: BSD-3-Clause
// Also for the preloaded library: the standard library only.
#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace topowise {

/// Whether a file of so many bytes keeps the limit of a file's size (`ulimit -f`). To write beyond it is not only an
/// error (EFBIG): the system raises SIGXFSZ, which ends a process that does not expect it.
[[nodiscard]] inline bool keeps_file_size_limit(std::uint64_t bytes) noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

}  // namespace topowise
