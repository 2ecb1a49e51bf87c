// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/interpose/recording/file_lock.hpp>

#include <fcntl.h>
#include <mntent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <topowise/base/open_regular.hpp>

namespace topowise::interpose {
namespace {

/// The lock is owned by the open file, not by the process (as F_SETLK's is), because it must survive that the file is
/// opened and closed again for each growth.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

bool has_option(std::string_view options, std::string_view wanted) {
  while (!options.empty()) {
    const std::size_t comma = std::min(options.find(','), options.size());
    if (options.substr(0, comma) == wanted) return true;
    options.remove_prefix(std::min(comma + 1, options.size()));
  }
  return false;
}

/// The mount that `path` lies on, as is_locked_for_all_hosts() wants it.
bool is_seen_by_all_hosts(const char* path) noexcept {
  std::FILE* mounts = ::setmntent("/proc/self/mounts", "r");
  if (mounts == nullptr) return false;
  std::size_t longest = 0;
  bool result = false;
  char texts[4096];
  mntent mount{};
  while (::getmntent_r(mounts, &mount, texts, sizeof(texts)) != nullptr) {
    const std::size_t length = std::strcmp(mount.mnt_dir, "/") == 0 ? 0 : std::strlen(mount.mnt_dir);
    const bool on_it = std::strncmp(path, mount.mnt_dir, length) == 0 && path[length] == '/';
    if (!on_it || length < longest) continue;  // the last of equal ones lies on top
    longest = length;
    result = is_locked_for_all_hosts(mount.mnt_type, mount.mnt_opts);
  }
  ::endmntent(mounts);
  return result;
}

}  // namespace

bool is_this_host(const profile::Header& header) noexcept {
  char host[sizeof(header.host)] = {};
  return ::gethostname(host, sizeof(host) - 1) == 0 && std::strncmp(host, header.host, sizeof(host)) == 0;
}

bool lock_file(int descriptor) noexcept {
  struct flock lock = whole_file();
  return ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

bool keep_for_life(int descriptor) noexcept {
  // The descriptor stays out of the way of programs that count on the numbers of their own descriptors; it is never
  // closed.
  constexpr int kOutOfTheWay = 500;
  return ::fcntl(descriptor, F_DUPFD_CLOEXEC, kOutOfTheWay) >= 0 || ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3) >= 0;
}

Writer writer_of(const std::string& path, const profile::Header& header) noexcept {
  if (header.state != profile::State::recording) return Writer::done;
  if (header.locked == 0) return Writer::unknown;
  const int descriptor = open_regular(path.c_str(), O_RDONLY);
  struct flock lock = whole_file();
  const bool told = descriptor >= 0 && ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
  if (descriptor >= 0) ::close(descriptor);
  if (!told) return Writer::unknown;
  if (lock.l_type != F_UNLCK) return Writer::alive;
  return is_this_host(header) || is_seen_by_all_hosts(path.c_str()) ? Writer::done : Writer::unknown;
}

bool is_locked(int descriptor) noexcept {
  struct flock lock = whole_file();
  return ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool is_locked_for_all_hosts(std::string_view type, std::string_view options) noexcept {
  if (type == "nfs" || type == "nfs4")
    return !has_option(options, "nolock") && !has_option(options, "local_lock=all") &&
           !has_option(options, "local_lock=posix");
  if (type == "lustre") return has_option(options, "flock");
  return type == "gpfs" || type == "ceph" || type == "gfs2";
}

}  // namespace topowise::interpose
