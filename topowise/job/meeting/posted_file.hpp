// SPDX-License-Identifier: BSD-3-Clause
// Files by which processes tell each other something. A file counts only as long as its writer holds it: each is locked
// (flock), and the system removes the lock when the writer ends.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/descriptor.hpp>

namespace topowise::job {

/// A file that counts as long as this object lives. It is locked before it has the name under which others look for it.
class PostedFile {
 public:
  /// Makes the file. Nothing on failure, and errno says why.
  static std::optional<PostedFile> make(const std::filesystem::path& folder, const std::string& name,
                                        std::string_view text);
  PostedFile(const PostedFile&) = delete;
  PostedFile& operator=(const PostedFile&) = delete;
  PostedFile(PostedFile&& other) noexcept;
  PostedFile& operator=(PostedFile&&) = delete;
  ~PostedFile();

 private:
  PostedFile(std::filesystem::path path, Descriptor file);

  std::filesystem::path path_;  ///< empty: moved from
  Descriptor file_;
};

/// Makes the folder if it is not there; the first process does. Throws Error(not_available) if it cannot be made, or if
/// others could write to it.
void make_own_folder(const std::filesystem::path& folder);

using Pause = std::function<void(std::chrono::microseconds)>;
void sleep_for(std::chrono::microseconds time);

/// A file in a folder that is made if it is not there. The first process of an earlier meeting may remove the folder
/// before the file is in it. Only in this case both are made again. There is a `pause` before each new attempt, twice
/// as long as the last one. Throws Error(not_available).
[[nodiscard]] PostedFile post(const std::filesystem::path& folder, const std::string& name, std::string_view text,
                              const Pause& pause = sleep_for);

/// The text of a file whose writer is still there; one whose writer is gone is removed.
[[nodiscard]] std::optional<std::string> living_text(const std::filesystem::path& path);

}  // namespace topowise::job
