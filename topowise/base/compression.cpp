// SPDX-License-Identifier: BSD-3-Clause
// The three libraries have the same form: a stream with the rest of the input and the rest of the output, and a
// function that moves both on. The structures below are those of the libraries' stable binary interfaces (zlib.h,
// lzma/base.h, zstd.h), written down here because no header of theirs is included.
#include <topowise/base/compression.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/shared_library.hpp>

namespace topowise {

class Codec {
 public:
  struct Step {
    std::size_t used = 0;
    std::size_t made = 0;
    bool ended = false;  ///< the stream has ended; what follows is another stream
    bool damaged = false;
  };
  Codec() = default;
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;
  virtual ~Codec() = default;
  virtual Step step(std::string_view input, std::span<char> output) = 0;
  /// Must be called before the next stream.
  virtual void restart() = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;
};

namespace {

SharedLibrary open_library(std::string_view program, std::string_view package, const std::string& name) {
  std::string reason;
  const std::array<std::string, 1> names{name};
  std::optional<SharedLibrary> library = SharedLibrary::open(names, reason);
  if (library) return *std::move(library);
  throw not_available(fmt::format("what {} compressed cannot be read here: {}", program, reason),
                      fmt::format("apt-get install {}, or decompress the file", package));
}

template <class Function>
Function* function_of(const SharedLibrary& library, const char* name) {
  if (auto* found = library.function<Function>(name)) return found;
  throw not_available(fmt::format("'{}' has no function '{}'", library.name(), name));
}

/// Counts of zlib are 32 bits wide.
unsigned narrow(std::size_t size) {
  return static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
}

class Gzip final : public Codec {
 public:
  Gzip() : library_(open_library("gzip", "zlib1g", "libz.so.1")) {
    constexpr int kGzipOnly = 16 + 15;
    constexpr const char* kVersion = "1.2.11";  // only the first number has to agree
    const auto init = function_of<int(Stream*, int, const char*, int)>(library_, "inflateInit2_");
    if (init(&stream_, kGzipOnly, kVersion, static_cast<int>(sizeof stream_)) != 0)
      throw not_available("zlib cannot be started");
  }
  ~Gzip() override { end_(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  Step step(std::string_view input, std::span<char> output) override {
    stream_.next_in = input.data();
    stream_.avail_in = narrow(input.size());
    stream_.next_out = output.data();
    stream_.avail_out = narrow(output.size());
    constexpr int kNoFlush = 0;
    constexpr int kOk = 0;
    constexpr int kStreamEnd = 1;
    constexpr int kNoProgress = -5;
    const unsigned in = stream_.avail_in;
    const unsigned out = stream_.avail_out;
    const int status = inflate_(&stream_, kNoFlush);
    return {in - stream_.avail_in, out - stream_.avail_out, status == kStreamEnd,
            status != kOk && status != kStreamEnd && status != kNoProgress};
  }
  void restart() override { reset_(&stream_); }
  [[nodiscard]] std::string_view name() const override { return "gzip"; }

 private:
  struct Stream {
    const char* next_in = nullptr;
    unsigned avail_in = 0;
    unsigned long total_in = 0;
    char* next_out = nullptr;
    unsigned avail_out = 0;
    unsigned long total_out = 0;
    const char* message = nullptr;
    void* state = nullptr;
    void* allocate = nullptr;
    void* release = nullptr;
    void* opaque = nullptr;
    int data_type = 0;
    unsigned long adler = 0;
    unsigned long reserved = 0;
  };
  SharedLibrary library_;
  Stream stream_;
  int (*inflate_)(Stream*, int) = function_of<int(Stream*, int)>(library_, "inflate");
  int (*reset_)(Stream*) = function_of<int(Stream*)>(library_, "inflateReset");
  int (*end_)(Stream*) = function_of<int(Stream*)>(library_, "inflateEnd");
};

class Xz final : public Codec {
 public:
  Xz() : library_(open_library("xz", "liblzma5", "liblzma.so.5")) { start(); }
  ~Xz() override { end_(&stream_); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;

  Step step(std::string_view input, std::span<char> output) override {
    stream_.next_in = input.data();
    stream_.avail_in = input.size();
    stream_.next_out = output.data();
    stream_.avail_out = output.size();
    constexpr int kRun = 0;
    constexpr int kOk = 0;
    constexpr int kStreamEnd = 1;
    constexpr int kNoProgress = 10;
    const int status = code_(&stream_, kRun);
    return {input.size() - stream_.avail_in, output.size() - stream_.avail_out, status == kStreamEnd,
            status != kOk && status != kStreamEnd && status != kNoProgress};
  }
  void restart() override { start(); }
  [[nodiscard]] std::string_view name() const override { return "xz"; }

 private:
  struct Stream {
    const char* next_in = nullptr;
    std::size_t avail_in = 0;
    std::uint64_t total_in = 0;
    char* next_out = nullptr;
    std::size_t avail_out = 0;
    std::uint64_t total_out = 0;
    const void* allocator = nullptr;
    void* internal = nullptr;
    std::array<void*, 4> reserved_pointers{};
    std::array<std::uint64_t, 2> reserved_numbers{};
    std::array<std::size_t, 2> reserved_sizes{};
    std::array<int, 2> reserved_enums{};
  };
  void start() {
    constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;  // the strongest preset needs 65 MiB
    if (decoder_(&stream_, kMostMemory, 0) != 0) throw not_available("liblzma cannot be started");
  }
  SharedLibrary library_;
  Stream stream_;
  int (*decoder_)(Stream*, std::uint64_t,
                  std::uint32_t) = function_of<int(Stream*, std::uint64_t, std::uint32_t)>(library_,
                                                                                           "lzma_stream_decoder");
  int (*code_)(Stream*, int) = function_of<int(Stream*, int)>(library_, "lzma_code");
  void (*end_)(Stream*) = function_of<void(Stream*)>(library_, "lzma_end");
};

class Zstd final : public Codec {
 public:
  Zstd() : library_(open_library("zstd", "libzstd1", "libzstd.so.1")) {
    if (stream_ == nullptr) throw not_available("libzstd cannot be started");
  }
  ~Zstd() override { free_(stream_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  Step step(std::string_view input, std::span<char> output) override {
    Input in{input.data(), input.size(), 0};
    Output out{output.data(), output.size(), 0};
    const std::size_t status = decompress_(stream_, &out, &in);
    const bool damaged = is_error_(status) != 0;
    return {in.position, out.position, !damaged && status == 0, damaged};
  }
  void restart() override {}  // the library begins the next stream by itself
  [[nodiscard]] std::string_view name() const override { return "zstd"; }

 private:
  struct Input {
    const void* data;
    std::size_t size;
    std::size_t position;
  };
  struct Output {
    void* data;
    std::size_t size;
    std::size_t position;
  };
  SharedLibrary library_;
  std::size_t (*decompress_)(void*, Output*,
                             Input*) = function_of<std::size_t(void*, Output*, Input*)>(library_,
                                                                                        "ZSTD_decompressStream");
  unsigned (*is_error_)(std::size_t) = function_of<unsigned(std::size_t)>(library_, "ZSTD_isError");
  std::size_t (*free_)(void*) = function_of<std::size_t(void*)>(library_, "ZSTD_freeDStream");
  void* stream_ = function_of<void*()>(library_, "ZSTD_createDStream")();
};

std::unique_ptr<Codec> make_codec(Compression kind) {
  switch (kind) {
    case Compression::gzip:
      return std::make_unique<Gzip>();
    case Compression::xz:
      return std::make_unique<Xz>();
    case Compression::zstd:
      return std::make_unique<Zstd>();
    case Compression::none:
      break;
  }
  throw std::invalid_argument("a Decompressor without a compression");
}

}  // namespace

Compression compression_of(std::string_view head) {
  constexpr std::array<std::pair<std::string_view, Compression>, 3> kMarks{
      {{"\x1f\x8b\x08", Compression::gzip},
       {std::string_view("\xfd\x37zXZ\0", 6), Compression::xz},
       {"\x28\xb5\x2f\xfd", Compression::zstd}}};
  for (const auto& [mark, kind] : kMarks) {
    if (head.starts_with(mark)) return kind;
  }
  return Compression::none;
}

Decompressor::Decompressor(Compression kind, std::string where) : codec_(make_codec(kind)), where_(std::move(where)) {}

Decompressor::~Decompressor() = default;

void Decompressor::append(std::string_view& input, std::string& output, std::size_t most) {
  constexpr std::size_t kChunk = 1 << 18;
  while (output.size() < most) {
    if (!inside_) {
      // Tools that write blocks of a tape, and xz itself, fill files up with zeros.
      while (!input.empty() && input.front() == '\0') input.remove_prefix(1);
      if (input.empty()) return;
      codec_->restart();
      inside_ = true;
    }
    const std::size_t old = output.size();
    output.resize(old + std::min(kChunk, most - old));
    const Codec::Step step = codec_->step(input, std::span(output).subspan(old));
    output.resize(old + step.made);
    input.remove_prefix(step.used);
    if (step.damaged) throw bad_input(fmt::format("'{}': its {} data are damaged", where_, codec_->name()));
    inside_ = !step.ended;
    if (step.made == 0 && input.empty() && !step.ended) return;
    if (step.made == 0 && step.used == 0)
      throw bad_input(fmt::format("'{}': its {} data are damaged", where_, codec_->name()));
  }
}

void Decompressor::finish() const {
  if (inside_) throw bad_input(fmt::format("'{}' is cut off: its {} data do not end", where_, codec_->name()));
}

}  // namespace topowise
