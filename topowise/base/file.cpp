// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/encoding.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/open_regular.hpp>
#include <topowise/base/write_all.hpp>
#include <topowise/base/write_target.hpp>

namespace topowise {
namespace {

Error system_error(const std::string& path, std::string_view verb, int code) {
  return bad_input(fmt::format("cannot {} '{}': {}", verb, path, std::strerror(code)));
}

Descriptor open_found(const std::string& path) {
  Descriptor file(open_regular(path.c_str(), O_RDONLY));
  if (!file && (errno == EINVAL || errno == ELOOP))
    throw bad_input(fmt::format("cannot read '{}': not a regular file", path));
  if (!file) throw system_error(path, "read", errno);
  return file;
}

}  // namespace

Error stream_too_large(const std::string& where, std::size_t limit) {
  return bad_input(fmt::format("'{}' is too large: of a pipe, a device or what is compressed at most {} bytes are read",
                               where, limit),
                   "write it to a file first, not compressed");
}

std::string input_name(const std::string& path) {
  return path == "-" ? "stdin" : path;
}

Descriptor open_input(const std::string& path) {
  Descriptor file(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw system_error(input_name(path), "read", errno);
  return file;
}

InputFile::InputFile(const std::string& path) : path_(input_name(path)), file_(open_input(path)) {}

InputFile::InputFile(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}

bool InputFile::read_some(std::string& text, std::size_t most) {
  const std::size_t old = text.size();
  text.resize(old + most);
  ssize_t got = -1;
  do {
    got = ::read(file_.number(), text.data() + old, most);
  } while (got < 0 && errno == EINTR);
  const int code = errno;
  text.resize(old + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0) throw system_error(path_, "read", code);
  return got > 0;
}

void InputFile::read_mark() {
  begun_ = true;
  while (content_.size() < kCompressionMark && read_some(content_, kCompressionMark - content_.size())) {
  }
  const Compression compression = compression_of(content_);
  if (compression == Compression::none) return;
  decompressor_.emplace(compression, path_);
  compressed_ = std::exchange(content_, {});
}

void InputFile::read_up_to(std::size_t most) {
  constexpr std::size_t kChunk = 1 << 20;
  if (!begun_) read_mark();
  if (!decompressor_) {
    while (content_.size() < most && read_some(content_, std::min(kChunk, most - content_.size()))) {
    }
    return;
  }
  while (content_.size() < most) {
    std::string_view input = std::string_view(compressed_).substr(at_);
    decompressor_->append(input, content_, most);
    at_ = compressed_.size() - input.size();
    if (content_.size() >= most) return;
    compressed_.clear();
    at_ = 0;
    if (!read_some(compressed_, kChunk)) return decompressor_->finish();
  }
}

const std::string& InputFile::head(std::size_t count) {
  read_up_to(count);
  return content_;
}

/// Reads one more byte into an empty string, because the content itself would grow for it and might double the memory
/// that it occupies.
bool InputFile::has_more() {
  std::string content = std::exchange(content_, {});
  read_up_to(1);
  const bool more = !content_.empty();
  content_ = std::move(content);
  return more;
}

std::string InputFile::whole(std::size_t limit, std::size_t stream_limit) && {
  if (!begun_) read_mark();
  struct stat status {};
  if (!decompressor_ && ::fstat(file_.number(), &status) == 0 && S_ISREG(status.st_mode)) {
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size > limit)
      throw bad_input(fmt::format("'{}' is too large: {} bytes, at most {} are read", path_, size, limit));
    content_.reserve(size + 1);
    stream_limit = limit;  // a few files of /proc have a content although their size is 0
  }
  const std::size_t most = std::min(limit, stream_limit);
  read_up_to(most);
  if (content_.size() > most || has_more()) {
    if (most < limit) throw stream_too_large(path_, most);
    throw bad_input(fmt::format("'{}' is too large: at most {} bytes are read", path_, limit));
  }
  return std::move(content_);
}

std::string read_file(const std::string& path, std::size_t limit) {
  return InputFile(path).whole(limit);
}

std::string why_no_text(std::string_view head) {
  if (!head.empty() && head.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos)
    return "this holds nothing but blanks and line ends";
  const std::size_t zero = head.find('\0');
  return zero == std::string_view::npos ? std::string() : fmt::format("this is no text: byte {} is 0", zero);
}

std::string read_text(const std::string& path, std::size_t limit) {
  constexpr std::size_t kHead = 65536;
  InputFile file(path);
  const std::string& head = file.head(kHead);
  const bool is_foreign = is_foreign_text(head);
  if (const std::string why = why_no_text(is_foreign ? as_utf8_lines(head) : head); !why.empty())
    throw bad_input(fmt::format("cannot read '{}': {}", input_name(path), why));
  std::string text = std::move(file).whole(limit);
  return is_foreign ? as_utf8_lines(std::move(text)) : text;
}

std::string read_head(const std::string& path, std::size_t count) {
  return InputFile(path).head(count).substr(0, count);
}

std::string read_found_file(const std::string& path, std::size_t limit) {
  return InputFile(path, open_found(path)).whole(limit);
}

std::string read_found_head(const std::string& path, std::size_t count) {
  return InputFile(path, open_found(path)).head(count).substr(0, count);
}

void write_file(const std::string& path, std::string_view content) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) throw system_error(path, "write", EISDIR);
    const Descriptor device = open_device_or_pipe(path);  // what cannot be replaced: /dev/stdout, /dev/null
    if (!write_all(device.number(), content)) throw system_error(path, "write", errno);
    return;
  }
  const WriteTarget target = write_target(path);
  Replacement file(target);
  if (file.descriptor() < 0 || !write_new(file.descriptor(), content) || !file.take_place())
    throw system_error(path, "write", errno);
}

}  // namespace topowise
