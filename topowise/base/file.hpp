// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes whole files. A reader of our output never sees half a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <topowise/base/input.hpp>

namespace topowise {

/// The content of a file, or of standard input if `path` is "-".
/// Throws Error(bad_input) naming the path and the system's reason; also for a directory or more than `limit` bytes.
[[nodiscard]] std::string read_file(const std::string& path, std::size_t limit = kLargestInput);
/// Says why the beginning of a file is not that of a text; empty if it may be one.
[[nodiscard]] std::string why_no_text(std::string_view head);
/// Like read_file(), for a text, which is converted as as_utf8_lines() does. A file with a byte 0 near its beginning,
/// as devices, noise and binary files have it, or with nothing but blanks there, is refused before the rest is read.
[[nodiscard]] std::string read_text(const std::string& path, std::size_t limit = kLargestInput);
/// Like read_file(), for a file that was found in a directory and that the user did not name: throws Error(bad_input)
/// also for a pipe, a device or a link. Never waits for another process.
[[nodiscard]] std::string read_found_file(const std::string& path, std::size_t limit = kLargestInput);
/// At most the first `count` bytes of such a file.
[[nodiscard]] std::string read_found_head(const std::string& path, std::size_t count);
/// Writes a new file beside `path`, flushes it to the disk and puts it into the old one's place, with the mode of that.
/// Follows links of this user (write_target.hpp). Throws Error(bad_input); the old file is then unchanged.
void write_file(const std::string& path, std::string_view content);

}  // namespace topowise
