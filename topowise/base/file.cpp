// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/open_regular.hpp>
#include <topowise/base/write_all.hpp>

namespace topowise {
namespace {

Error system_error(const std::string& path, std::string_view verb, int code) {
  return bad_input(fmt::format("cannot {} '{}': {}", verb, path, std::strerror(code)));
}

Descriptor open_for_reading(const std::string& path) {
  Descriptor file(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw system_error(path, "read", errno);
  return file;
}

Descriptor open_found(const std::string& path) {
  Descriptor file(open_regular(path.c_str(), O_RDONLY));
  if (!file && (errno == EINVAL || errno == ELOOP))
    throw bad_input(fmt::format("cannot read '{}': not a regular file", path));
  if (!file) throw system_error(path, "read", errno);
  return file;
}

/// Reads until the end, or until `most` bytes are there.
std::string read_up_to(const Descriptor& file, const std::string& path, std::size_t most) {
  std::string content;
  struct stat status {};
  if (::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode))
    content.reserve(std::min<std::size_t>(most, static_cast<std::size_t>(status.st_size) + 1));
  constexpr std::size_t kChunk = 1 << 20;
  while (content.size() < most) {
    const std::size_t old = content.size();
    content.resize(old + std::min(kChunk, most - old));
    const ssize_t got = ::read(file.number(), content.data() + old, content.size() - old);
    const int code = errno;
    content.resize(old + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) break;
    if (got < 0 && code != EINTR) throw system_error(path, "read", code);
  }
  return content;
}

std::string read_whole(const Descriptor& file, const std::string& path, std::size_t limit) {
  struct stat status {};
  if (::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) &&
      static_cast<std::size_t>(status.st_size) > limit) {
    throw bad_input(fmt::format("'{}' is too large: {} bytes, at most {} are read", path, status.st_size, limit));
  }
  std::string content = read_up_to(file, path, limit + 1);
  if (content.size() > limit) throw bad_input(fmt::format("'{}' is too large: at most {} bytes are read", path, limit));
  return content;
}

void write_content(int descriptor, std::string_view content, const std::string& path) {
  if (!write_all(descriptor, content)) throw system_error(path, "write", errno);
}

/// Where a chain of symbolic links leads, also if nothing is there yet: the link stays, its target is replaced.
std::string behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the system
  namespace fs = std::filesystem;
  fs::path target = path;
  std::error_code failure;
  for (int i = 0; i < kMostLinks && fs::is_symlink(target, failure); ++i)
    target = target.parent_path() / fs::read_symlink(target, failure);  // an absolute one replaces the folder
  if (fs::is_symlink(target, failure)) throw system_error(path, "write", ELOOP);
  return target.string();
}

}  // namespace

std::string read_file(const std::string& path, std::size_t limit) {
  return read_whole(open_for_reading(path), path, limit);
}

std::string read_head(const std::string& path, std::size_t count) {
  return read_up_to(open_for_reading(path), path, count);
}

std::string read_found_file(const std::string& path, std::size_t limit) {
  return read_whole(open_found(path), path, limit);
}

std::string read_found_head(const std::string& path, std::size_t count) {
  return read_up_to(open_found(path), path, count);
}

void write_file(const std::string& path, std::string_view content) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) throw system_error(path, "write", EISDIR);
    // A device or a pipe (/dev/stdout, /dev/null) cannot be replaced by renaming.
    const Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!device) throw system_error(path, "write", errno);
    return write_content(device.number(), content, path);
  }
  const std::string target = behind_links(path);
  const std::string temporary = fmt::format("{}.{}.tmp", target, ::getpid());
  {
    const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file) throw system_error(path, "write", errno);
    try {
      write_content(file.number(), content, path);
      if (::fsync(file.number()) != 0) throw system_error(path, "write", errno);
    } catch (...) {
      ::unlink(temporary.c_str());
      throw;
    }
  }
  if (std::rename(temporary.c_str(), target.c_str()) != 0) {
    const int code = errno;
    ::unlink(temporary.c_str());
    throw system_error(path, "write", code);
  }
}

}  // namespace topowise
