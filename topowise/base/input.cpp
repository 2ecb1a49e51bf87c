// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/input.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <topowise/base/compression.hpp>
#include <topowise/base/encoding.hpp>
#include <topowise/base/write_target.hpp>

namespace topowise {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

Error unreadable(const std::string& where, int code) {
  return bad_input(fmt::format("cannot read '{}': {}", where, std::strerror(code)));
}

}  // namespace

std::string input_name(const std::string& path) {
  return path == "-" ? "stdin" : path;
}

Descriptor open_input(const std::string& path) {
  Descriptor file(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw unreadable(input_name(path), errno);
  return file;
}

class Input::Source {
 public:
  Source(std::string where, std::string_view text) : where_(std::move(where)), text_(text), size_(text.size()) {}
  Source(std::string where, Descriptor file, ReadProgress progress)
      : where_(std::move(where)), file_(std::move(file)), progress_(std::move(progress)) {
    struct stat status {};
    if (::fstat(file_.number(), &status) != 0) throw unreadable(where_, errno);
    if (S_ISDIR(status.st_mode)) throw unreadable(where_, EISDIR);
    if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
  }

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] Descriptor regular_file() const {
    return Descriptor(file_ && size_ ? ::fcntl(file_.number(), F_DUPFD_CLOEXEC, 0) : -1);
  }

  std::string_view head(std::size_t count) {
    fill(ahead_, count);
    return std::string_view(ahead_).substr(0, count);
  }

  std::string_view next() {
    block_.clear();
    if (ahead_.empty())
      fill(block_, kBlock);
    else
      std::swap(block_, ahead_);
    return block_;
  }

  std::string whole(std::size_t limit, std::size_t stream_limit) {
    begin();
    std::string content = std::exchange(ahead_, {});
    if (!decompressor_ && size_) {
      if (*size_ > limit)
        throw bad_input(fmt::format("'{}' is too large: {} bytes, at most {} are read", where_, *size_, limit));
      content.reserve(*size_ + 1);
      stream_limit = limit;  // a few files of /proc have a content although their size is 0
    }
    const std::size_t most = std::min(limit, stream_limit);
    fill(content, most);
    std::string more;  // another string: `content` might double the memory that it occupies
    if (content.size() <= most) fill(more, 1);
    if (content.size() <= most && more.empty()) return content;
    if (most == limit) throw bad_input(fmt::format("'{}' is too large: at most {} bytes are read", where_, limit));
    throw bad_input(
        fmt::format("'{}' is too large: of a pipe, a device or what is compressed at most {} bytes are read", where_,
                    most),
        "write it to a file first, not compressed");
  }

 private:
  /// Reads the bytes that say how the rest is compressed. A pipe may give them one by one.
  void begin() {
    if (std::exchange(begun_, true)) return;
    while (raw_.size() < kCompressionMark && read_raw(raw_, kCompressionMark - raw_.size())) {
    }
    const Compression compression = compression_of(raw_);
    if (compression != Compression::none) decompressor_.emplace(compression, where_);
  }

  /// Appends to `bytes` until it has `most` bytes or the input ends. (The first bytes may be a few more than `most`.)
  void fill(std::string& bytes, std::size_t most) {
    begin();
    if (decompressor_) return decompress(bytes, most);
    if (bytes.size() < most) bytes += std::exchange(raw_, {});
    while (bytes.size() < most && read_raw(bytes, std::min(kBlock, most - bytes.size()))) {
    }
  }

  void decompress(std::string& bytes, std::size_t most) {
    while (bytes.size() < most) {
      if (progress_) progress_(where_, done_, size_.value_or(0));  // a few bytes may give very many
      std::string_view input = std::string_view(raw_).substr(used_);
      try {
        decompressor_->append(input, bytes, most);
      } catch (const Error& error) {
        const Diagnostic& first = error.diagnostics().front();
        throw Error(error.status(), fmt::format("{} (byte {})", first.what, done_ - input.size()), first.hint);
      }
      used_ = raw_.size() - input.size();
      if (bytes.size() >= most) return;  // the codec may hold more
      raw_.clear();
      used_ = 0;
      if (!read_raw(raw_, kBlock)) return decompressor_->finish();
    }
  }

  /// Appends at most `most` bytes as they are on the disk; false at the end.
  bool read_raw(std::string& bytes, std::size_t most) {
    const std::size_t old = bytes.size();
    if (!file_) {
      bytes += text_.substr(done_, most);
      done_ += bytes.size() - old;
      return bytes.size() > old;
    }
    bytes.resize(old + most);
    ssize_t got = -1;
    do {
      got = ::read(file_.number(), bytes.data() + old, most);
    } while (got < 0 && errno == EINTR);
    const int code = errno;
    bytes.resize(old + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) throw unreadable(where_, code);
    done_ += static_cast<std::size_t>(got);
    if (progress_ && got > 0) progress_(where_, done_, size_.value_or(0));
    return got > 0;
  }

  std::string where_;
  Descriptor file_;
  ReadProgress progress_;
  std::string_view text_;            ///< instead of a file
  std::optional<std::size_t> size_;  ///< as on the disk; nothing for a pipe or a device
  std::size_t done_ = 0;             ///< bytes read, as on the disk
  bool begun_ = false;
  std::optional<Decompressor> decompressor_;
  std::string raw_;  ///< read, and not yet decompressed from `used_` on
  std::size_t used_ = 0;
  std::string ahead_;  ///< what head() has read
  std::string block_;
};

Input::Input(std::unique_ptr<Source> source) : source_(std::move(source)) {}
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

Input::Input(const std::string& path, ReadProgress progress)
    : source_(std::make_unique<Source>(input_name(path), open_input(path), std::move(progress))) {}

Input Input::of_regular_file(const std::string& path, ReadProgress progress) {
  return of_open_file(path, open_found_input(path), std::move(progress));
}

Input Input::of_found_file(const std::string& path) {
  return of_open_file(path, open_regular_input(path, AT_FDCWD, path));
}

Input Input::of_open_file(std::string where, Descriptor file, ReadProgress progress) {
  return Input(std::make_unique<Source>(std::move(where), std::move(file), std::move(progress)));
}

Input Input::of_text(std::string where, std::string_view text) {
  return Input(std::make_unique<Source>(std::move(where), text));
}

Descriptor Input::regular_file() const {
  return source_->regular_file();
}

const std::string& Input::where() const {
  return source_->where();
}

std::string_view Input::head(std::size_t count) {
  return source_->head(count);
}

std::string_view Input::next() {
  return source_->next();
}

std::string Input::whole(std::size_t limit, std::size_t stream_limit) && {
  return source_->whole(limit, stream_limit);
}

std::string Input::text_head() {
  const std::string_view bytes = head();
  return is_foreign_text(bytes) ? as_utf8_lines(std::string(bytes)) : std::string(bytes);
}

std::string Input::text(std::size_t limit) && {
  const bool is_foreign = is_foreign_text(head());
  std::string bytes = source_->whole(limit, kLargestStream);
  return is_foreign ? as_utf8_lines(std::move(bytes)) : bytes;
}

}  // namespace topowise
