// SPDX-License-Identifier: BSD-3-Clause
// A folder of this user in a place where others can write too, such as /dev/shm and /tmp. Others may have put anything
// there under any name, and may exchange it at any moment. So a folder is checked after it has been opened, and every
// operation is on the open folder, whatever its path leads to meanwhile. No link is followed, nothing but regular files
// of this user is opened, and nothing that is opened can make the process wait.
#pragma once

#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <topowise/base/descriptor.hpp>

namespace topowise {

/// What others may do with a folder. Nobody but its owner ever writes to it.
enum class OthersMay { nothing, read };

/// Names are those of files in the folder, without '/'.
class PrivateFolder {
 public:
  /// Opens the folder `name` in `place` if it belongs to this user and others may do no more with it than `others`
  /// says. Otherwise the result is false and errno says why: EACCES for a folder of another user or with wider
  /// permissions, ENOTDIR or ELOOP for what is no folder.
  [[nodiscard]] static PrivateFolder open(const std::string& place, const std::string& name,
                                          OthersMay others = OthersMay::nothing);
  /// Makes it first if nothing has this name.
  [[nodiscard]] static PrivateFolder make(const std::string& place, const std::string& name,
                                          OthersMay others = OthersMay::nothing);
  /// The same below this folder.
  [[nodiscard]] PrivateFolder open_below(const std::string& name) const;
  [[nodiscard]] PrivateFolder make_below(const std::string& name) const;

  PrivateFolder() = default;
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(folder_); }

  /// Of the open folder, for openat().
  [[nodiscard]] int number() const { return folder_.number(); }
  /// Sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  /// When a name was last added or removed.
  [[nodiscard]] std::time_t changed() const;
  /// Opens a regular file of this user to read it. Below 0 with errno if it is anything else.
  [[nodiscard]] Descriptor read(const std::string& name) const;
  /// Makes a new file that only this user can read. Below 0 with errno, EEXIST if the name is taken.
  [[nodiscard]] Descriptor create(const std::string& name) const;
  /// These return false with errno: ENOENT if there is no such name.
  bool rename(const std::string& from, const std::string& to) const;
  bool remove(const std::string& name) const;
  /// Removes an empty folder in this one.
  bool remove_below(const std::string& name) const;

 private:
  explicit PrivateFolder(Descriptor folder) : folder_(std::move(folder)) {}
  static PrivateFolder checked(int place, const std::string& name, OthersMay others);
  static PrivateFolder made(int place, const std::string& name, OthersMay others);

  Descriptor folder_;
};

/// Removes the empty folder `name` in `place`; of others it cannot.
void remove_private_folder(const std::string& place, const std::string& name);

/// 16 hexadecimal digits that nobody can foresee. Throws Error(not_available) if the system has none.
[[nodiscard]] std::string unforeseeable_digits();

}  // namespace topowise
