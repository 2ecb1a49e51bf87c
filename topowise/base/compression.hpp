// SPDX-License-Identifier: BSD-3-Clause
// Decompresses what gzip, xz and zstd have compressed. Their libraries are opened at run time, so topowise is built
// without them, and a machine that lacks one of them still reads the other two forms.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace topowise {

enum class Compression : unsigned char { none, gzip, xz, zstd };

/// The first bytes of a file that are needed to say how it is compressed.
inline constexpr std::size_t kCompressionMark = 6;
[[nodiscard]] Compression compression_of(std::string_view head);

/// One codec of a library; known to compression.cpp alone.
class Codec;

/// Decompresses a stream piece by piece; streams that follow each other (`cat a.gz b.gz`) count as one.
class Decompressor {
 public:
  /// `where` names the stream in messages. Throws Error(not_available) if the library is not on this machine.
  Decompressor(Compression kind, std::string where);
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ~Decompressor();

  /// Appends to `output` until it has `most` bytes or `input` is used up; removes what was used from `input`. Throws
  /// Error(bad_input) for damaged data.
  void append(std::string_view& input, std::string& output, std::size_t most);
  /// Must be called at the end of the input: throws Error(bad_input) if the data are cut off.
  void finish() const;

 private:
  std::unique_ptr<Codec> codec_;
  std::string where_;
  bool inside_ = true;  ///< a stream has begun and not ended
};

}  // namespace topowise
