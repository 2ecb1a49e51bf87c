// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes whole files. A reader of our output never sees half a file. A file that gzip, xz or zstd have
// compressed is decompressed on the way in; limits count the decompressed bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/compression.hpp>
#include <topowise/base/descriptor.hpp>
#include <topowise/base/error.hpp>

namespace topowise {

/// The most bytes that are read from one input: a larger topology or traffic matrix is a mistake.
inline constexpr std::size_t kLargestInput = std::size_t{4} << 30;
/// The same limit for an input of unknown size that may never end: a pipe, a device, decompressed data.
inline constexpr std::size_t kLargestStream = std::size_t{1} << 30;
/// The error for a longer stream, with a hint what to do.
[[nodiscard]] Error stream_too_large(const std::string& where, std::size_t limit);

/// What messages call an input: its path, or "stdin" for "-".
[[nodiscard]] std::string input_name(const std::string& path);
/// Opens a file to read it, or standard input if `path` is "-". Throws Error(bad_input) that names the path and the
/// system's reason.
[[nodiscard]] Descriptor open_input(const std::string& path);

/// A file, or standard input if `path` is "-", read in steps: its beginning tells whether the rest is wanted.
class InputFile {
 public:
  /// Throws as open_input() does, and so do the member functions.
  explicit InputFile(const std::string& path);
  InputFile(std::string path, Descriptor file);

  /// Reads on until `count` bytes or the end of the file, and returns all that has been read so far.
  [[nodiscard]] const std::string& head(std::size_t count);
  /// The whole content; an error beyond `limit` bytes, and for a stream beyond `stream_limit`.
  [[nodiscard]] std::string whole(std::size_t limit, std::size_t stream_limit = kLargestStream) &&;

 private:
  /// Appends at most `most` bytes of the file without decompressing them; false at its end.
  bool read_some(std::string& text, std::size_t most);
  void read_mark();
  void read_up_to(std::size_t most);
  bool has_more();

  std::string path_;
  Descriptor file_;
  std::string content_;
  bool begun_ = false;
  std::string compressed_;  ///< bytes that were read; those from `at_` on are not yet decompressed
  std::size_t at_ = 0;
  std::optional<Decompressor> decompressor_;
};

/// The content of a file, or of standard input if `path` is "-".
/// Throws Error(bad_input) naming the path and the system's reason; also for a directory or more than `limit` bytes.
[[nodiscard]] std::string read_file(const std::string& path, std::size_t limit = kLargestInput);
/// Says why the beginning of a file is not that of a text; empty if it may be one.
[[nodiscard]] std::string why_no_text(std::string_view head);
/// Like read_file(), for a text, which is converted as as_utf8_lines() does. A file with a byte 0 near its beginning,
/// as devices, noise and binary files have it, or with nothing but blanks there, is refused before the rest is read.
[[nodiscard]] std::string read_text(const std::string& path, std::size_t limit = kLargestInput);
/// At most the first `count` bytes of a file; reading them from "-" consumes them.
[[nodiscard]] std::string read_head(const std::string& path, std::size_t count);
/// Like read_file(), for a file that was found in a directory and that the user did not name: throws Error(bad_input)
/// also for a pipe, a device or a link. Never waits for another process.
[[nodiscard]] std::string read_found_file(const std::string& path, std::size_t limit = kLargestInput);
[[nodiscard]] std::string read_found_head(const std::string& path, std::size_t count);
/// Writes a new file beside `path`, flushes it to the disk and puts it into the old one's place, with the mode of that.
/// Follows links of this user (write_target.hpp). Throws Error(bad_input); the old file is then unchanged.
void write_file(const std::string& path, std::string_view content);

}  // namespace topowise
