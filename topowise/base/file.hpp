// SPDX-License-Identifier: BSD-3-Clause
// Whole files in, whole files out. A reader of our output never sees half a file. What gzip, xz or zstd have compressed
// is read as if it were not; limits count what comes out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/compression.hpp>
#include <topowise/base/descriptor.hpp>
#include <topowise/base/error.hpp>

namespace topowise {

/// Most that is read of one input: a topology or a traffic matrix beyond this is a mistake.
inline constexpr std::size_t kLargestInput = std::size_t{4} << 30;
/// The same of what does not say beforehand how much it is and may never end: a pipe, a device, what is unpacked.
inline constexpr std::size_t kLargestStream = std::size_t{1} << 30;
/// What is said of a longer one, and what to do.
[[nodiscard]] Error stream_too_large(const std::string& where, std::size_t limit);

/// A file, or standard input if `path` is "-", read in steps: its beginning tells whether the rest is wanted.
class InputFile {
 public:
  /// Throws Error(bad_input) naming the path and the system's reason, as do the others.
  explicit InputFile(std::string path);
  InputFile(std::string path, Descriptor file);

  /// What has been read, after reading on to `count` bytes or the end.
  [[nodiscard]] const std::string& head(std::size_t count);
  /// All of it; an error beyond `limit` bytes, and of a stream beyond `stream_limit`.
  [[nodiscard]] std::string whole(std::size_t limit, std::size_t stream_limit = kLargestStream) &&;

 private:
  /// Appends at most `most` bytes as they stand in the file; false at its end.
  bool read_some(std::string& text, std::size_t most);
  void read_mark();
  void read_up_to(std::size_t most);
  bool has_more();

  std::string path_;
  Descriptor file_;
  std::string content_;
  bool begun_ = false;
  std::string compressed_;  ///< read, not yet decompressed from `at_` on
  std::size_t at_ = 0;
  std::optional<Decompressor> decompressor_;
};

/// The content of a file, or of standard input if `path` is "-".
/// Throws Error(bad_input) naming the path and the system's reason; also for a directory or more than `limit` bytes.
[[nodiscard]] std::string read_file(const std::string& path, std::size_t limit = kLargestInput);
/// Why the beginning of a file is none of a text; empty if it may be one.
[[nodiscard]] std::string why_no_text(std::string_view head);
/// The same of a text: what has a byte 0 near its begin, as devices, noise and binary files do, is refused before the
/// rest is read.
[[nodiscard]] std::string read_text(const std::string& path, std::size_t limit = kLargestInput);
/// At most the first `count` bytes of a file; of "-" they are consumed.
[[nodiscard]] std::string read_head(const std::string& path, std::size_t count);
/// The same for a file that was found in a directory and not named by the user: Error(bad_input) also if it is a pipe,
/// a device or a link. Never waits for another process.
[[nodiscard]] std::string read_found_file(const std::string& path, std::size_t limit = kLargestInput);
[[nodiscard]] std::string read_found_head(const std::string& path, std::size_t count);
/// Written beside `path` under a temporary name, flushed to the disk and renamed. Throws Error(bad_input); the old file
/// then still stands.
void write_file(const std::string& path, std::string_view content);

}  // namespace topowise
