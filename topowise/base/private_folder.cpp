// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/private_folder.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>

#include <topowise/base/error.hpp>
#include <topowise/base/open_regular.hpp>

namespace topowise {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// The permissions that others must not have.
mode_t forbidden(OthersMay others) {
  constexpr mode_t kWriting = S_IWGRP | S_IWOTH;
  return others == OthersMay::read ? kWriting : S_IRWXG | S_IRWXO;
}

struct Close {
  void operator()(DIR* listing) const noexcept { ::closedir(listing); }
};

/// The place is named by the user or the system: /dev/shm may be a link.
Descriptor open_place(const std::string& place) {
  return Descriptor(::open(place.c_str(), kFolder));
}

}  // namespace

PrivateFolder PrivateFolder::checked(int place, const std::string& name, OthersMay others) {
  Descriptor folder(::openat(place, name.c_str(), kFolder | O_NOFOLLOW));
  struct stat facts {};
  if (!folder || ::fstat(folder.number(), &facts) != 0) return {};
  if (facts.st_uid == ::geteuid() && (facts.st_mode & forbidden(others)) == 0) return PrivateFolder(std::move(folder));
  errno = EACCES;
  return {};
}

PrivateFolder PrivateFolder::made(int place, const std::string& name, OthersMay others) {
  constexpr mode_t kAll = S_IRWXU | S_IRWXG | S_IRWXO;
  if (::mkdirat(place, name.c_str(), kAll & ~forbidden(others)) != 0 && errno != EEXIST) return {};
  return checked(place, name, others);
}

PrivateFolder PrivateFolder::open(const std::string& place, const std::string& name, OthersMay others) {
  const Descriptor above = open_place(place);
  return above ? checked(above.number(), name, others) : PrivateFolder();
}

PrivateFolder PrivateFolder::make(const std::string& place, const std::string& name, OthersMay others) {
  const Descriptor above = open_place(place);
  return above ? made(above.number(), name, others) : PrivateFolder();
}

PrivateFolder PrivateFolder::open_below(const std::string& name) const {
  return checked(folder_.number(), name, OthersMay::nothing);
}

PrivateFolder PrivateFolder::make_below(const std::string& name) const {
  return made(folder_.number(), name, OthersMay::nothing);
}

std::vector<std::string> PrivateFolder::names() const {
  std::vector<std::string> names;
  const int again = ::openat(folder_.number(), ".", kFolder);  // a position of its own: several may list at once
  const std::unique_ptr<DIR, Close> listing(again >= 0 ? ::fdopendir(again) : nullptr);
  if (!listing && again >= 0) ::close(again);
  for (const dirent* entry = nullptr; listing && (entry = ::readdir(listing.get())) != nullptr;) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::time_t PrivateFolder::changed() const {
  struct stat facts {};
  return ::fstat(folder_.number(), &facts) == 0 ? facts.st_mtime : 0;
}

Descriptor PrivateFolder::read(const std::string& name) const {
  Descriptor file(open_regular_at(folder_.number(), name.c_str(), O_RDONLY));
  struct stat facts {};
  if (!file || (::fstat(file.number(), &facts) == 0 && facts.st_uid == ::geteuid())) return file;
  errno = EACCES;
  return {};
}

Descriptor PrivateFolder::create(const std::string& name) const {
  constexpr int kNew = O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC;
  return Descriptor(::openat(folder_.number(), name.c_str(), kNew, S_IRUSR | S_IWUSR));
}

bool PrivateFolder::rename(const std::string& from, const std::string& to) const {
  return ::renameat(folder_.number(), from.c_str(), folder_.number(), to.c_str()) == 0;
}

bool PrivateFolder::remove(const std::string& name) const {
  return ::unlinkat(folder_.number(), name.c_str(), 0) == 0;
}

bool PrivateFolder::remove_below(const std::string& name) const {
  return ::unlinkat(folder_.number(), name.c_str(), AT_REMOVEDIR) == 0;
}

void remove_private_folder(const std::string& place, const std::string& name) {
  const Descriptor above = open_place(place);
  if (above) ::unlinkat(above.number(), name.c_str(), AT_REMOVEDIR);
}

std::string unforeseeable_digits() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    throw not_available("the system gives no random numbers");
  return fmt::format("{:016x}", number);
}

}  // namespace topowise
