// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/private_folder.hpp>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <tests/lack.hpp>

using namespace topowise;

namespace fs = std::filesystem;

namespace {

/// A place where others can write too.
class Place {
 public:
  Place() : path_(fs::temp_directory_path() / ("topowise-private-test-" + std::to_string(::getpid()))) {
    fs::create_directory(path_);
    fs::permissions(path_, fs::perms::all | fs::perms::sticky_bit);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { fs::remove_all(path_); }
  [[nodiscard]] std::string path() const { return path_; }
  [[nodiscard]] std::string operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// The reason why the folder "f" cannot be used; 0 if it can.
int refusal(const Place& place) {
  errno = 0;
  const bool made = static_cast<bool>(PrivateFolder::make(place.path(), "f"));
  const int made_error = made ? 0 : errno;
  const bool opened = static_cast<bool>(PrivateFolder::open(place.path(), "f"));
  CHECK((opened ? 0 : errno) == made_error);
  return made_error;
}

}  // namespace

TEST_CASE("a private folder is made, and found again") {
  const Place place;
  CHECK_FALSE(PrivateFolder::open(place.path(), "f"));
  CHECK(errno == ENOENT);
  CHECK_FALSE(PrivateFolder::make(place / "none", "f"));
  CHECK(errno == ENOENT);
  CHECK(refusal(place) == 0);
  CHECK(fs::status(place / "f").permissions() == fs::perms::owner_all);
  const PrivateFolder folder = PrivateFolder::open(place.path(), "f");
  CHECK(folder.make_below("g"));
  CHECK(folder.open_below("g"));
  remove_private_folder(place.path(), "f");
  CHECK(folder.names() == std::vector<std::string>{"g"});
  CHECK(folder.remove_below("g"));
  remove_private_folder(place.path(), "f");
  CHECK_FALSE(fs::exists(place / "f"));
  CHECK_FALSE(folder.create("a"));
  CHECK(errno == ENOENT);
}

TEST_CASE("what others may have put under its name is no private folder") {
  const Place place;
  SUBCASE("a folder into which others can look") {
    fs::create_directory(place / "f");
    fs::permissions(place / "f", fs::perms::owner_all | fs::perms::group_read);
    CHECK(refusal(place) == EACCES);
  }
  SUBCASE("a link to a folder of this user") {
    CHECK(PrivateFolder::make(place.path(), "own"));
    fs::create_symlink("own", place / "f");
    CHECK(refusal(place) == ENOTDIR);
  }
  SUBCASE("a link to nothing") {
    fs::create_symlink("none", place / "f");
    CHECK(refusal(place) == ENOTDIR);
  }
  SUBCASE("a file") {
    std::ofstream(place / "f") << "x";
    CHECK(refusal(place) == ENOTDIR);
  }
  SUBCASE("a pipe") {
    REQUIRE(::mkfifo((place / "f").c_str(), 0666) == 0);
    CHECK(refusal(place) == ENOTDIR);
  }
  SUBCASE("a folder of another user") {
    fs::create_directory(place / "f");
    fs::permissions(place / "f", fs::perms::owner_all);
    if (::geteuid() != 0 || ::chown((place / "f").c_str(), 65534, 65534) != 0) {
      test::skip_without("only root can give a folder to another user");
      return;
    }
    CHECK(refusal(place) == EACCES);
  }
}

TEST_CASE("only regular files of this user are read, and only new ones are made") {
  const Place place;
  const PrivateFolder folder = PrivateFolder::make(place.path(), "f");
  CHECK(folder.create("a"));
  CHECK_FALSE(folder.create("a"));
  CHECK(errno == EEXIST);
  CHECK(folder.read("a"));
  CHECK(fs::status(place / "f/a").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  REQUIRE(::mkfifo((place / "f/pipe").c_str(), 0600) == 0);
  fs::create_symlink("a", place / "f/link");
  fs::create_symlink("new", place / "f/dangling");
  CHECK_FALSE(folder.read("pipe"));
  CHECK(errno == EINVAL);
  CHECK_FALSE(folder.read("link"));
  CHECK(errno == ELOOP);
  CHECK_FALSE(folder.create("dangling"));
  CHECK(errno == EEXIST);
  CHECK_FALSE(folder.read("absent"));
  CHECK(errno == ENOENT);
  CHECK_FALSE(folder.read("."));
  CHECK(folder.rename("a", "b"));
  CHECK_FALSE(folder.rename("a", "c"));
  CHECK(folder.remove("b"));
  CHECK_FALSE(folder.remove("b"));
  if (::geteuid() == 0 && ::chown((place / "f/pipe").c_str(), 65534, 65534) == 0) {
    std::ofstream(place / "f/other") << "x";
    REQUIRE(::chown((place / "f/other").c_str(), 65534, 65534) == 0);
    CHECK_FALSE(folder.read("other"));
    CHECK(errno == EACCES);
  } else {
    test::skip_without("only root can give a file to another user");
  }
}

TEST_CASE("an open folder stays the same one, whatever its path leads to") {
  const Place place;
  const PrivateFolder folder = PrivateFolder::make(place.path(), "f");
  CHECK(PrivateFolder::make(place.path(), "other"));
  fs::rename(place / "f", place / "away");
  fs::create_symlink("other", place / "f");
  CHECK(folder.create("a"));
  CHECK(fs::exists(place / "away/a"));
  CHECK(fs::is_empty(place / "other"));
}
