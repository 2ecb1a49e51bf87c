// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include <topowise/base/file_size_limit.hpp>

namespace topowise {

/// Writes until nothing is left, because the system may take only a part at a time, for example when a disk becomes
/// full. On failure it returns false, and errno says why.
[[nodiscard]] inline bool write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno != EINTR) return false;
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// Like write_all(), into an empty file. A text that would exceed the limit of a file's size (`ulimit -f`) is not
/// begun: errno is then EFBIG, and no signal is raised.
[[nodiscard]] inline bool write_new(int descriptor, std::string_view text) noexcept {
  if (keeps_file_size_limit(text.size())) return write_all(descriptor, text);
  errno = EFBIG;
  return false;
}

}  // namespace topowise
