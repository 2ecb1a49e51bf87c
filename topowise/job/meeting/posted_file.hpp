// SPDX-License-Identifier: BSD-3-Clause
// Files by which processes tell each other something. A file counts only as long as its writer holds it: each is locked
// (flock), and the system removes the lock when the writer ends.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/private_folder.hpp>

namespace topowise::job {

/// A file that counts as long as this object lives. It is locked before it has the name under which others look for it.
class PostedFile {
 public:
  /// Makes the file. Nothing on failure, and errno says why.
  static std::optional<PostedFile> make(PrivateFolder folder, const std::string& name, std::string_view text);
  PostedFile(const PostedFile&) = delete;
  PostedFile& operator=(const PostedFile&) = delete;
  PostedFile(PostedFile&& other) noexcept;
  PostedFile& operator=(PostedFile&&) = delete;
  ~PostedFile();

  [[nodiscard]] const PrivateFolder& folder() const { return folder_; }
  /// Fills a file that was made empty. False with errno on failure.
  [[nodiscard]] bool fill(std::string_view text) const;

 private:
  PostedFile(PrivateFolder folder, std::string name, Descriptor file);

  PrivateFolder folder_;
  std::string name_;  ///< empty: moved from
  Descriptor file_;
};

using Pause = std::function<void(std::chrono::microseconds)>;
void sleep_for(std::chrono::microseconds time);

/// A file in a folder, which `open` makes if it is not there, or throws. The last process of an earlier meeting may
/// remove the folder before the file is in it. Only in this case both are made again. There is a `pause` before each
/// new attempt, twice as long as the last one. Throws Error(not_available).
[[nodiscard]] PostedFile post(const std::function<PrivateFolder()>& open, const std::string& name,
                              std::string_view text, const Pause& pause = sleep_for);

/// The text of a file whose writer is still there; one whose writer is gone is removed.
[[nodiscard]] std::optional<std::string> living_text(const PrivateFolder& folder, const std::string& name);
/// The text of a file, whether or not its writer is there.
[[nodiscard]] std::optional<std::string> posted_text(const PrivateFolder& folder, const std::string& name);

}  // namespace topowise::job
