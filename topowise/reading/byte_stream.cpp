// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/byte_stream.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <topowise/base/compression.hpp>
#include <topowise/base/descriptor.hpp>
#include <topowise/base/error.hpp>
#include <topowise/base/file.hpp>

namespace topowise {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

Error unreadable(const std::string& path, int code) {
  return bad_input(fmt::format("cannot read '{}': {}", path, std::strerror(code)));
}

}  // namespace

class ByteStream::Source {
 public:
  Source(std::string where, std::string_view text) : where_(std::move(where)), text_(text) {}
  Source(std::string where, Descriptor file, ReadProgress progress)
      : where_(std::move(where)), file_(std::move(file)), progress_(std::move(progress)), buffer_(kBlock) {
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
    if (!decompressor_) return first_.empty() ? raw() : std::exchange(first_, {});
    plain_.clear();
    while (true) {
      decompress();  // called also without more input, because earlier input may have made more than one block
      if (!plain_.empty()) return plain_;
      packed_ = raw();
      if (!packed_.empty()) continue;
      decompressor_->finish();
      return {};
    }
  }

  void begin() {
    begun_ = true;
    first_ = raw();
    while (!first_.empty() && first_.size() < kCompressionMark) {  // a pipe may give the bytes one by one
      begin_ = std::string(first_);
      const std::string_view more = raw();
      begin_ += more;
      first_ = begin_;
      if (more.empty()) break;
    }
    const Compression compression = compression_of(first_);
    if (compression == Compression::none) return;
    decompressor_.emplace(compression, where_);
    packed_ = std::exchange(first_, {});
  }

  /// Decompresses what was read. An error says at which byte the damage is.
  void decompress() {
    try {
      decompressor_->append(packed_, plain_, kBlock);
    } catch (const Error& error) {
      const std::string what = fmt::format("byte {}: {}", done_ - packed_.size(), error.diagnostics().front().what);
      throw Error(error.status(), {Diagnostic{where_, {}, what, {}, {}}});
    }
  }

  /// The next bytes as they lie on the disk.
  std::string_view raw() {
    if (!file_) {
      const std::string_view part = text_.substr(0, kBlock);
      text_.remove_prefix(part.size());
      done_ += part.size();
      return part;
    }
    ssize_t got = 0;
    do {
      got = ::read(file_.number(), buffer_.data(), buffer_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw unreadable(where_, errno);
    done_ += static_cast<std::size_t>(got);
    if (progress_ && got > 0) progress_(where_, done_, size_);
    return {buffer_.data(), static_cast<std::size_t>(got)};
  }

  std::string where_;
  Descriptor file_;
  ReadProgress progress_;
  std::string_view text_;
  std::size_t size_ = 0;
  std::size_t done_ = 0;
  bool begun_ = false;
  std::string begin_;
  std::string_view first_;
  std::vector<char> buffer_;
  std::optional<Decompressor> decompressor_;
  std::string_view packed_;  ///< read, not yet decompressed
  std::string plain_;
  std::string ahead_;  ///< bytes that head() has read
  std::string given_;
};

ByteStream::ByteStream(std::unique_ptr<Source> source) : source_(std::move(source)) {}
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream& ByteStream::operator=(ByteStream&&) noexcept = default;
ByteStream::~ByteStream() = default;

ByteStream ByteStream::of_file(const std::string& path, ReadProgress progress) {
  return ByteStream(std::make_unique<Source>(input_name(path), open_input(path), std::move(progress)));
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
