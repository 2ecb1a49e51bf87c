// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/meeting/posted_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/write_all.hpp>

namespace topowise::job {
namespace {

namespace fs = std::filesystem;

Error cannot_meet(const fs::path& folder, int error) {
  return not_available(
      fmt::format("the ranks of this node cannot meet in '{}': {}", folder.string(), std::strerror(error)));
}

}  // namespace

std::optional<PostedFile> PostedFile::make(const fs::path& folder, const std::string& name, std::string_view text) {
  const fs::path hidden = folder / ("." + name);
  Descriptor file(::open(hidden.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.number() < 0) return std::nullopt;
  const bool written = ::flock(file.number(), LOCK_EX) == 0 && write_new(file.number(), text);
  const bool visible = written && ::rename(hidden.c_str(), (folder / name).c_str()) == 0;
  if (visible) return PostedFile(folder / name, std::move(file));
  const int error = errno;
  ::unlink(hidden.c_str());
  errno = error;
  return std::nullopt;
}

PostedFile::PostedFile(PostedFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}
PostedFile::~PostedFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}
PostedFile::PostedFile(fs::path path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}

void make_own_folder(const fs::path& folder) {
  struct stat facts {};
  do {
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) throw cannot_meet(folder, errno);
  } while (::lstat(folder.c_str(), &facts) != 0 && errno == ENOENT);  // the end of a meeting removed it meanwhile
  const bool ours = S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid() && (facts.st_mode & 077) == 0;
  if (!ours) throw cannot_meet(folder, EACCES);
}

void sleep_for(std::chrono::microseconds time) {
  std::this_thread::sleep_for(time);
}

PostedFile post(const fs::path& folder, const std::string& name, std::string_view text, const Pause& pause) {
  constexpr int kAttempts = 10;
  std::chrono::microseconds time(200);
  for (int attempt = 1;; ++attempt, time *= 2) {
    make_own_folder(folder);
    if (std::optional<PostedFile> file = PostedFile::make(folder, name, text)) return std::move(*file);
    if (errno != ENOENT || attempt == kAttempts) throw cannot_meet(folder, errno);
    pause(time);
  }
}

std::optional<std::string> living_text(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.number() < 0) return std::nullopt;
  if (::flock(file.number(), LOCK_SH | LOCK_NB) == 0) {
    ::unlink(path.c_str());
    return std::nullopt;
  }
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = ::read(file.number(), part, sizeof(part))) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  return text;
}

}  // namespace topowise::job
