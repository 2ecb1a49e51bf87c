// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include <topowise/base/file_size_limit.hpp>

namespace topowise {

/// Writes until nothing is left: the system may take a part only, as where a disk becomes full. Otherwise errno tells
/// why not.
[[nodiscard]] inline bool write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno != EINTR) return false;
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// The same into a file that has nothing yet. What would go beyond the limit of a file's size (`ulimit -f`) is not
/// begun: errno is EFBIG then, and no signal is raised.
[[nodiscard]] inline bool write_new(int descriptor, std::string_view text) noexcept {
  if (keeps_file_size_limit(text.size())) return write_all(descriptor, text);
  errno = EFBIG;
  return false;
}

}  // namespace topowise
