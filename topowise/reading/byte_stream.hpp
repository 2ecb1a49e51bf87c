// SPDX-License-Identifier: BSD-3-Clause
// Files that may be larger than memory: their bytes, one block after the other, decompressed where gzip, xz or zstd has
// compressed them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace topowise {

/// Told now and then how far a file is read: bytes on the disk, and of how many (0: not known).
using ReadProgress = std::function<void(const std::string& where, std::size_t done, std::size_t size)>;

/// The bytes of one file from begin to end.
class ByteStream {
 public:
  /// What a file holds, "-" being standard input. Throws Error(bad_input) naming the path and the system's reason.
  [[nodiscard]] static ByteStream of_file(const std::string& path, ReadProgress progress = {});
  /// Of a text that is kept by the caller. `where` names it in messages.
  [[nodiscard]] static ByteStream of_text(std::string where, std::string_view text);

  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) noexcept;
  ~ByteStream();

  [[nodiscard]] const std::string& where() const;
  /// The next bytes, none at the end; they stay valid until the next call. Throws Error(bad_input) where the file
  /// cannot be read or is damaged, with the byte.
  [[nodiscard]] std::string_view next();
  /// Up to `count` bytes from the begin. Only before the first next(), which gives them once more.
  [[nodiscard]] std::string_view head(std::size_t count);

 private:
  class Source;
  explicit ByteStream(std::unique_ptr<Source> source);
  std::unique_ptr<Source> source_;
};

}  // namespace topowise
