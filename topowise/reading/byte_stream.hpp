// SPDX-License-Identifier: BSD-3-Clause
// Files that may be larger than memory. Their bytes come one block after the other, and are decompressed where gzip, xz
// or zstd has compressed them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace topowise {

/// Called now and then with the bytes of a file that are read so far, and its size, both as on the disk (size 0: not
/// known).
using ReadProgress = std::function<void(const std::string& where, std::size_t done, std::size_t size)>;

/// The bytes of one file from begin to end.
class ByteStream {
 public:
  /// The bytes of a file; "-" is standard input. Throws Error(bad_input) naming the path and the system's reason.
  [[nodiscard]] static ByteStream of_file(const std::string& path, ReadProgress progress = {});
  /// The bytes of a text, which the caller must keep. `where` names it in messages.
  [[nodiscard]] static ByteStream of_text(std::string where, std::string_view text);

  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) noexcept;
  ~ByteStream();

  [[nodiscard]] const std::string& where() const;
  /// The next bytes, none at the end. They stay valid until the next call. Throws Error(bad_input) with the number of
  /// the byte where the file is damaged, and where it cannot be read.
  [[nodiscard]] std::string_view next();
  /// Up to `count` bytes from the begin. May be called only before the first next(), which gives these bytes once more.
  [[nodiscard]] std::string_view head(std::size_t count);

 private:
  class Source;
  explicit ByteStream(std::unique_ptr<Source> source);
  std::unique_ptr<Source> source_;
};

}  // namespace topowise
