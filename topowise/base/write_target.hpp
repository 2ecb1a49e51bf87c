// SPDX-License-Identifier: BSD-3-Clause
// Where a path that is written to leads, or that of a file which nobody has named. Links are followed, wherever they
// may be in the path, as editors and cp do. But in a folder where others can write, a link that is neither this user's
// nor root's could lead to a file of this user that others want to see replaced, so it is refused there.
#pragma once

#include <string>

#include <topowise/base/descriptor.hpp>

namespace topowise {

struct WriteTarget {
  Descriptor folder;  ///< held open, but for reading or writing: what happens to its path does not matter
  std::string name;   ///< in the folder. There may be no such file, but no link has this name, except one of /proc
};

/// Throws Error(bad_input) that names the path and the reason. If `keep_proc`, a link in /proc at the end is not
/// followed, because its text need not be a path ("pipe:[123]").
[[nodiscard]] WriteTarget write_target(const std::string& path, bool keep_proc = false);

/// Makes a folder and those above it, as far as they are not there. Throws Error(bad_input) where that fails, or where
/// a link that write_target() would refuse leads on. `own`: also where the first of them would be in another user's
/// folder, as with the HOME of another user, which sudo may keep.
void make_folders(const std::string& path, bool own = false);

/// Opens a regular file under this very name to read it; a relative `name` begins in the open folder `folder`. Never
/// waits. Throws Error(bad_input), which shows `path`.
[[nodiscard]] Descriptor open_regular_input(const std::string& path, int folder, const std::string& name);

/// Opens a regular file that was found in a folder, to read it. Follows links as write_target() does, but of this user
/// and of root alone, and never waits, whatever others put in its place meanwhile. Throws Error(bad_input).
[[nodiscard]] Descriptor open_found_input(const std::string& path);

/// The same without links, for a file whose words are obeyed: it must be this user's or root's, and not every user may
/// write to it.
[[nodiscard]] Descriptor open_own_input(const std::string& path);

/// Opens what is no regular file to write to it: a device, or a pipe of this user, of root or without a name. Throws
/// Error(bad_input). Waits for the reader of a pipe, but never for one that another user has put there.
[[nodiscard]] Descriptor open_device_or_pipe(const std::string& path);

/// The same for a pipe that need not be read: none if nobody has opened it to read, instead of waiting.
[[nodiscard]] Descriptor open_pipe_with_reader(const std::string& path);

/// A new file in a folder, which takes the place of another one or disappears.
class Replacement {
 public:
  /// Gets the mode of the file that it will replace, and root also keeps that one's owner; in a place of another user
  /// and where there was none, it is a new file of this user. Below 0 with errno on failure.
  explicit Replacement(const WriteTarget& target);
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement();

  [[nodiscard]] int descriptor() const { return file_.number(); }
  /// False with errno on failure.
  [[nodiscard]] bool take_place();

 private:
  void keep_owner_and_mode();

  const WriteTarget& target_;
  std::string name_;  ///< empty: it has taken its place
  Descriptor file_;
  bool keeps_ = false;
  unsigned mode_ = 0;
  unsigned user_ = 0;
  unsigned group_ = 0;
};

}  // namespace topowise
