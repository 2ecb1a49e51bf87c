// SPDX-License-Identifier: BSD-3-Clause
// Opens files that others may have put there. Also compiled into the preloaded library: uses the standard library only.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace topowise {

/// A descriptor of `path` if it is a regular file under that very name, else -1 with errno set: ELOOP for a symbolic
/// link, EINVAL for a pipe, a device and anything else that is not a regular file. Never waits, as opening a pipe would
/// until its other end is open too. Does not even open a device, because some devices act when they are opened.
/// A relative path begins in the open folder `folder`.
[[nodiscard]] inline int open_regular_at(int folder, const char* path, int access) noexcept {
  struct stat status {};
  if (::fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(status.st_mode)) {
    errno = S_ISLNK(status.st_mode) ? ELOOP : EINVAL;
    return -1;
  }
  const int descriptor = ::openat(folder, path, access | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return descriptor;
  ::close(descriptor);  // something else was put there between lstat and open
  errno = EINVAL;
  return -1;
}

[[nodiscard]] inline int open_regular(const char* path, int access) noexcept {
  return open_regular_at(AT_FDCWD, path, access);
}

}  // namespace topowise
