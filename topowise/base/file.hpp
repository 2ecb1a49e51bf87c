// SPDX-License-Identifier: BSD-3-Clause
// Whole files in, whole files out. A reader of our output never sees half a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace topowise {

/// Most that is read of one input: a topology or a traffic matrix beyond this is a mistake.
inline constexpr std::size_t kLargestInput = std::size_t{4} << 30;

/// The content of a file, or of standard input if `path` is "-".
/// Throws Error(bad_input) naming the path and the system's reason; also for a directory or more than `limit` bytes.
[[nodiscard]] std::string read_file(const std::string& path, std::size_t limit = kLargestInput);
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
