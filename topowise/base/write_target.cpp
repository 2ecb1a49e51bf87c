// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/write_target.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/open_regular.hpp>
#include <topowise/base/private_folder.hpp>
#include <topowise/base/text.hpp>

namespace topowise {
namespace {

Error cannot(std::string_view verb, const std::string& path, int code) {
  return bad_input(fmt::format("cannot {} '{}': {}", verb, path, std::strerror(code)));
}

Error cannot_write(const std::string& path, int code) {
  return cannot("write", path, code);
}

bool is_trusted(const struct stat& facts) {
  return facts.st_uid == ::geteuid() || facts.st_uid == 0;
}

/// In a folder into which nobody else can write, its owner has put a link; there the system may not even let its owner
/// know (in a container, root of the host is nobody). What is only found in a folder may have been put there by any
/// owner, so his links do not count.
bool others_can_write(const Descriptor& folder) {
  struct stat facts {};
  return ::fstat(folder.number(), &facts) != 0 || (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/// Goes along a path name by name. Each name is opened without following it and looked at then, so that nothing can be
/// exchanged between a look and a step.
class PathWalk {
 public:
  /// `shown` is the path in messages. `is_found`: nobody has named the last name, it was found in a folder.
  PathWalk(const std::string& path, bool keep_proc, std::string_view verb, const std::string& shown,
           bool is_found = false)
      : path_(shown), keep_proc_(keep_proc), is_found_(is_found), verb_(verb) {
    begin(path);
  }

  WriteTarget last() {
    while (!names_.empty()) {
      const std::string name = std::move(names_.back());
      names_.pop_back();
      if (step(name)) return {std::move(folder_), name};
    }
    throw cannot(verb_, path_, EISDIR);
  }

 private:
  void begin(const std::string& text) {
    if (text.empty()) throw cannot(verb_, path_, ENOENT);
    if (!folder_ || text.starts_with('/'))
      folder_ = Descriptor(::open(text.starts_with('/') ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder_) throw cannot(verb_, path_, errno);
    const std::vector<std::string_view> names = split(text, '/');
    if (names_.empty() && (names.back().empty() || names.back() == ".")) throw cannot(verb_, path_, EISDIR);
    for (auto name = names.rbegin(); name != names.rend(); ++name)
      if (!name->empty() && *name != ".") names_.emplace_back(*name);
  }

  /// True if the path ends with this name.
  bool step(const std::string& name) {
    // A folder is opened as such, which mounts it where that is left to the first use (autofs).
    const int way = names_.empty() ? 0 : O_DIRECTORY;
    Descriptor next(::openat(folder_.number(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC | way));
    if (!next && way != 0) next = Descriptor(::openat(folder_.number(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!next && errno == ENOENT && names_.empty()) return true;
    struct stat facts {};
    if (!next || ::fstat(next.number(), &facts) != 0) throw cannot(verb_, path_, errno);
    if (S_ISLNK(facts.st_mode)) return follow(next, facts, name);
    if (names_.empty() && name != "..") return true;
    if (!S_ISDIR(facts.st_mode)) throw cannot(verb_, path_, ENOTDIR);
    folder_ = std::move(next);
    return false;
  }

  bool follow(const Descriptor& link, const struct stat& facts, const std::string& name) {
    constexpr int kMostLinks = 40;  // the limit of Linux
    const bool is_found = is_found_ && names_.empty();
    if (!is_trusted(facts) && (is_found || others_can_write(folder_)))
      throw bad_input(fmt::format("cannot {} '{}': '{}' in it is a link of another user", verb_, path_, name),
                      "name the file to which it leads");
    if (keep_proc_ && names_.empty() && is_in_proc()) return true;
    if (++links_ > kMostLinks) throw cannot(verb_, path_, ELOOP);
    std::array<char, PATH_MAX> text{};
    const ssize_t length = ::readlinkat(link.number(), "", text.data(), text.size() - 1);
    if (length < 0) throw cannot(verb_, path_, errno);
    begin(std::string(text.data(), static_cast<std::size_t>(length)));
    return false;
  }

  [[nodiscard]] bool is_in_proc() const {
    struct statfs system {};
    return ::fstatfs(folder_.number(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
  }

  const std::string& path_;
  bool keep_proc_;
  bool is_found_;
  std::string_view verb_;  ///< what the path is for, in messages
  Descriptor folder_;
  std::vector<std::string> names_;  ///< those to come, the next one last
  int links_ = 0;
};

/// Opens what is no regular file to write to it.
Descriptor open_to_write(const std::string& path, int flags) {
  const WriteTarget target = write_target(path, true);
  // A path descriptor opens nothing: neither does it wait for a reader, nor does a device act.
  const Descriptor found(::openat(target.folder.number(), target.name.c_str(), O_PATH | O_CLOEXEC));
  struct stat facts {};
  struct statfs system {};
  if (!found || ::fstat(found.number(), &facts) != 0 || ::fstatfs(found.number(), &system) != 0)
    throw cannot_write(path, errno);
  if (S_ISFIFO(facts.st_mode) && system.f_type != PIPEFS_MAGIC && !is_trusted(facts))
    throw bad_input(fmt::format("cannot write '{}': it is a pipe of another user", path));
  return Descriptor(
      ::open(fmt::format("/proc/self/fd/{}", found.number()).c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | flags));
}

std::optional<struct stat> regular_file(const WriteTarget& target) {
  struct stat facts {};
  if (::fstatat(target.folder.number(), target.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return S_ISREG(facts.st_mode) ? std::optional(facts) : std::nullopt;
}

}  // namespace

WriteTarget write_target(const std::string& path, bool keep_proc) {
  return PathWalk(path, keep_proc, "write", path).last();
}

void make_folders(const std::string& path, bool own) {
  constexpr const char* kVerb = "make the folder";
  std::filesystem::path there(path);
  struct stat facts {};
  while (there.has_relative_path() && ::lstat(there.c_str(), &facts) != 0) there = there.parent_path();
  const std::string inside = (there / ".topowise-none").string();  // the walk ends before the last name
  if (there.has_relative_path()) static_cast<void>(PathWalk(inside, false, kVerb, path).last());
  if (own && ::stat(there.empty() ? "." : there.c_str(), &facts) == 0 && !is_trusted(facts))
    throw bad_input(
        fmt::format("cannot make the folder '{}': '{}' belongs to user {}", path, there.string(), facts.st_uid));
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure) throw cannot(kVerb, path, failure.value());
}

Descriptor open_regular_input(const std::string& path, int folder, const std::string& name) {
  Descriptor file(open_regular_at(folder, name.c_str(), O_RDONLY));
  if (!file && (errno == EINVAL || errno == ELOOP))
    throw bad_input(fmt::format("cannot read '{}': not a regular file", path));
  if (!file) throw cannot("read", path, errno);
  return file;
}

Descriptor open_found_input(const std::string& path) {
  const WriteTarget target = PathWalk(path, false, "read", path, true).last();
  return open_regular_input(path, target.folder.number(), target.name);
}

Descriptor open_own_input(const std::string& path) {
  Descriptor file = open_regular_input(path, AT_FDCWD, path);
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0) throw cannot("read", path, errno);
  if (!is_trusted(facts)) throw bad_input(fmt::format("cannot trust '{}': it belongs to user {}", path, facts.st_uid));
  if ((facts.st_mode & S_IWOTH) != 0)
    throw bad_input(fmt::format("cannot trust '{}': every user can write to it", path));
  return file;
}

Descriptor open_device_or_pipe(const std::string& path) {
  Descriptor opened = open_to_write(path, 0);
  if (!opened) throw cannot_write(path, errno);
  return opened;
}

Descriptor open_pipe_with_reader(const std::string& path) {
  Descriptor opened = open_to_write(path, O_NONBLOCK);
  if (!opened && errno != ENXIO) throw cannot_write(path, errno);
  if (opened) ::fcntl(opened.number(), F_SETFL, O_WRONLY);  // a reader may be slow
  return opened;
}

Replacement::Replacement(const WriteTarget& target) : target_(target) {
  const std::optional<struct stat> old = regular_file(target);
  keeps_ = old && (old->st_uid == ::geteuid() || ::geteuid() == 0);
  if (keeps_) {
    mode_ = old->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    user_ = old->st_uid;
    group_ = old->st_gid;
  }
  constexpr int kAttempts = 100;
  constexpr mode_t kPrivate = S_IRUSR | S_IWUSR;
  constexpr mode_t kUsual = kPrivate | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;  // less what the umask takes away
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  for (int attempt = 0; !file_ && attempt < kAttempts; ++attempt) {
    name_ = fmt::format(".topowise-{}.tmp", unforeseeable_digits());
    file_ = Descriptor(::openat(target.folder.number(), name_.c_str(), kNew, keeps_ ? kPrivate : kUsual));
    if (!file_ && errno != EEXIST) break;
  }
  if (!file_) name_.clear();
}

Replacement::~Replacement() {
  if (!name_.empty()) ::unlinkat(target_.folder.number(), name_.c_str(), 0);
}

/// Without the owner or the group the mode would give others the rights that were theirs, so it is narrowed first.
void Replacement::keep_owner_and_mode() {
  const bool same_user = user_ == ::geteuid() || ::fchown(file_.number(), user_, static_cast<gid_t>(-1)) == 0;
  const bool same_group = ::fchown(file_.number(), static_cast<uid_t>(-1), group_) == 0;
  if (!same_user) mode_ &= S_IRWXU;
  if (!same_group) mode_ &= ~static_cast<unsigned>(S_IRWXG);
  static_cast<void>(::fchmod(file_.number(), mode_));  // some file systems have no modes
}

bool Replacement::take_place() {
  if (keeps_) keep_owner_and_mode();
  const int folder = target_.folder.number();
  if (::fsync(file_.number()) != 0 || ::renameat(folder, name_.c_str(), folder, target_.name.c_str()) != 0)
    return false;
  name_.clear();
  return true;
}

}  // namespace topowise
