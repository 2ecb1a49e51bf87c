// SPDX-License-Identifier: BSD-3-Clause
// The only user of zlib. A file may be several gzip members one after the other, as `cat a.gz b.gz` makes them.
#include <topowise/reading/byte_stream.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/error.hpp>

namespace topowise {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

Error unreadable(const std::string& path, int code) {
  return bad_input(fmt::format("cannot read '{}': {}", path, std::strerror(code)));
}

Error damaged(const std::string& where, std::string what) {
  return {ExitStatus::bad_input, {Diagnostic{where, {}, std::move(what), {}, {}}}};
}

/// Unpacks what it is given; memory of its own is some 40 KB.
class Inflation {
 public:
  explicit Inflation(const std::string& where) : where_(where) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw not_available("not enough memory to unpack");
  }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
  ~Inflation() { inflateEnd(&stream_); }

  [[nodiscard]] bool wants_input() const { return stream_.avail_in == 0; }
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::size_t taken() const { return taken_; }
  void give(std::string_view packed) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
  }

  /// Fills `out` as far as the input goes; how much.
  std::size_t unpack(std::vector<char>& out) {
    if (complete_) {
      // Bytes behind a member are another one, or padding with zeros as tapes have it.
      while (stream_.avail_in > 0 && *stream_.next_in == 0) skip();
      if (stream_.avail_in == 0) return 0;
      inflateReset(&stream_);
      complete_ = false;
    }
    const std::size_t before = stream_.avail_in;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    taken_ += before - stream_.avail_in;
    complete_ = status == Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      throw damaged(where_, fmt::format("its gzip packing is damaged at byte {}: {}", taken_,
                                        stream_.msg != nullptr ? stream_.msg : "unknown reason"));
    return out.size() - stream_.avail_out;
  }

 private:
  void skip() {
    ++stream_.next_in;
    --stream_.avail_in;
    ++taken_;
  }

  std::string where_;
  z_stream stream_{};
  bool complete_ = false;
  std::size_t taken_ = 0;
};

bool is_gzip(std::string_view head) {
  return head.starts_with("\x1f\x8b");
}

}  // namespace

class ByteStream::Source {
 public:
  Source(std::string where, std::string_view text) : where_(std::move(where)), text_(text) {}
  Source(std::string where, Descriptor file, ReadProgress progress)
      : where_(std::move(where)), file_(std::move(file)), progress_(std::move(progress)), packed_(kBlock) {
    struct stat status {};
    if (::fstat(file_.number(), &status) != 0) throw unreadable(where_, errno);
    if (S_ISDIR(status.st_mode)) throw unreadable(where_, EISDIR);
    if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
  }

  [[nodiscard]] const std::string& where() const { return where_; }

  std::string_view next() {
    if (!ahead_.empty()) {
      given_ = std::move(ahead_);
      ahead_.clear();
      return given_;
    }
    return read();
  }

  std::string_view head(std::size_t count) {
    while (ahead_.size() < count) {
      const std::string_view more = read();
      if (more.empty()) break;
      ahead_ += more;
    }
    return std::string_view(ahead_).substr(0, count);
  }

 private:
  std::string_view read() {
    if (!begun_) begin();
    if (!inflation_) {
      if (!first_.empty()) return std::exchange(first_, {});
      return raw();
    }
    std::size_t got = 0;
    while (got == 0) {
      if (inflation_->wants_input()) {
        const std::string_view more = raw();
        if (more.empty() && !inflation_->complete())
          throw damaged(where_, fmt::format("it ends at byte {}, within its gzip packing", inflation_->taken()));
        if (more.empty()) return {};
        inflation_->give(more);
      }
      got = inflation_->unpack(plain_);
    }
    return {plain_.data(), got};
  }

  void begin() {
    begun_ = true;
    first_ = raw();
    if (!is_gzip(first_)) return;
    inflation_.emplace(where_);
    plain_.resize(kBlock);
    inflation_->give(std::exchange(first_, {}));
  }

  /// As they lie on the disk.
  std::string_view raw() {
    if (!file_) {
      const std::string_view part = text_.substr(0, kBlock);
      text_.remove_prefix(part.size());
      return part;
    }
    ssize_t got = 0;
    do {
      got = ::read(file_.number(), packed_.data(), packed_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw unreadable(where_, errno);
    done_ += static_cast<std::size_t>(got);
    if (progress_ && got > 0) progress_(where_, done_, size_);
    return {packed_.data(), static_cast<std::size_t>(got)};
  }

  std::string where_;
  Descriptor file_;
  ReadProgress progress_;
  std::string_view text_;
  std::size_t size_ = 0;
  std::size_t done_ = 0;
  bool begun_ = false;
  std::string_view first_;
  std::vector<char> packed_;
  std::vector<char> plain_;
  std::optional<Inflation> inflation_;
  std::string ahead_;  ///< what head() has read
  std::string given_;
};

ByteStream::ByteStream(std::unique_ptr<Source> source) : source_(std::move(source)) {}
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream& ByteStream::operator=(ByteStream&&) noexcept = default;
ByteStream::~ByteStream() = default;

ByteStream ByteStream::of_file(const std::string& path, ReadProgress progress) {
  Descriptor file(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw unreadable(path, errno);
  return ByteStream(std::make_unique<Source>(path == "-" ? "stdin" : path, std::move(file), std::move(progress)));
}

ByteStream ByteStream::of_text(std::string where, std::string_view text) {
  return ByteStream(std::make_unique<Source>(std::move(where), text));
}

const std::string& ByteStream::where() const {
  return source_->where();
}

std::string_view ByteStream::next() {
  return source_->next();
}

std::string_view ByteStream::head(std::size_t count) {
  return source_->head(count);
}

}  // namespace topowise
