// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/meeting/posted_file.hpp>

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/write_all.hpp>

namespace topowise::job {
namespace {

std::string text_of(const Descriptor& file) {
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = ::read(file.number(), part, sizeof(part))) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  return text;
}

}  // namespace

std::optional<PostedFile> PostedFile::make(PrivateFolder folder, const std::string& name, std::string_view text) {
  const std::string hidden = "." + name;
  Descriptor file = folder.create(hidden);
  if (!file) return std::nullopt;
  const bool written = ::flock(file.number(), LOCK_EX) == 0 && write_new(file.number(), text);
  if (written && folder.rename(hidden, name)) return PostedFile(std::move(folder), name, std::move(file));
  const int error = errno;
  folder.remove(hidden);
  errno = error;
  return std::nullopt;
}

PostedFile::PostedFile(PostedFile&& other) noexcept
    : folder_(std::move(other.folder_)), name_(std::exchange(other.name_, {})), file_(std::move(other.file_)) {}
PostedFile::~PostedFile() {
  if (!name_.empty()) folder_.remove(name_);
}
PostedFile::PostedFile(PrivateFolder folder, std::string name, Descriptor file)
    : folder_(std::move(folder)), name_(std::move(name)), file_(std::move(file)) {}

bool PostedFile::fill(std::string_view text) const {
  return write_new(file_.number(), text);
}

void sleep_for(std::chrono::microseconds time) {
  std::this_thread::sleep_for(time);
}

PostedFile post(const std::function<PrivateFolder()>& open, const std::string& name, std::string_view text,
                const Pause& pause) {
  constexpr int kAttempts = 10;
  std::chrono::microseconds time(200);
  for (int attempt = 1;; ++attempt, time *= 2) {
    PrivateFolder folder = open();
    if (std::optional<PostedFile> file = PostedFile::make(std::move(folder), name, text)) return std::move(*file);
    if (errno != ENOENT || attempt == kAttempts)
      throw not_available(fmt::format("the ranks of this node cannot meet: {}", std::strerror(errno)));
    pause(time);
  }
}

std::optional<std::string> living_text(const PrivateFolder& folder, const std::string& name) {
  const Descriptor file = folder.read(name);
  if (!file) return std::nullopt;
  if (::flock(file.number(), LOCK_SH | LOCK_NB) == 0) {
    folder.remove(name);
    return std::nullopt;
  }
  return text_of(file);
}

std::optional<std::string> posted_text(const PrivateFolder& folder, const std::string& name) {
  const Descriptor file = folder.read(name);
  return file ? std::optional(text_of(file)) : std::nullopt;
}

}  // namespace topowise::job
