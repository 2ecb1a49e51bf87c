// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/file.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include <tests/fixtures/file_size_limit.hpp>
#include <tests/lack.hpp>

#include <topowise/base/descriptor.hpp>
#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("topowise-file-test-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string operator/(const char* name) const { return path_ / name; }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

std::string failure(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("what is written is read back, and nothing else is left behind") {
  const Folder folder;
  const std::string path = folder / "a";
  write_file(path, "first");
  write_file(path, "second\n");
  CHECK(read_file(path) == "second\n");
  CHECK(Input(path).head(3) == "sec");
  CHECK(folder.entries() == 1);
}

TEST_CASE("standard input has a name") {
  CHECK(input_name("-") == "stdin");
  CHECK(input_name("a") == "a");
}

TEST_CASE("a symbolic link stays, and what it leads to is replaced at once") {
  namespace fs = std::filesystem;
  const Folder folder;
  fs::create_directory(folder / "far");
  write_file(folder / "far/file", "old");
  fs::create_symlink("far/file", folder / "near");
  fs::create_symlink(folder / "near", folder / "link");
  const Descriptor reader(::open((folder / "link").c_str(), O_RDONLY | O_CLOEXEC));
  write_file(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(fs::is_symlink(folder / "near"));
  CHECK(read_file(folder / "far/file") == "new");
  char old[4] = "";
  CHECK(::read(reader.number(), old, 3) == 3);  // a process that has the old file open reads it to its end
  CHECK(std::string(old) == "old");
  fs::create_symlink("far/to come", folder / "dangling");
  write_file(folder / "dangling", "made");
  CHECK(fs::is_symlink(folder / "dangling"));
  CHECK(read_file(folder / "far/to come") == "made");
  fs::create_symlink("circle", folder / "circle");
  CHECK(failure([&] { write_file(folder / "circle", "x"); }).ends_with("Too many levels of symbolic links"));
  CHECK(folder.entries() == 5);
}

TEST_CASE("the new file has the mode of the one that it replaces") {
  namespace fs = std::filesystem;
  const Folder folder;
  const auto mode = [&] { return static_cast<unsigned>(fs::status(folder / "a").permissions()); };
  const mode_t usual = ::umask(022);
  write_file(folder / "a", "new");
  CHECK(mode() == 0644);
  for (const unsigned kept : {0600U, 0444U, 0666U, 0755U}) {
    fs::permissions(folder / "a", static_cast<fs::perms>(kept));
    write_file(folder / "a", "newer");
    CHECK(mode() == kept);
  }
  ::umask(usual);
  CHECK(folder.entries() == 1);
}

TEST_CASE("a new file never has a name that somebody may have put there") {
  namespace fs = std::filesystem;
  const Folder folder;
  write_file(folder / "victim", "kept");
  const std::string old_name = (folder / "a.") + std::to_string(::getpid()) + ".tmp";
  fs::create_symlink("victim", old_name);
  write_file(folder / "a", "new");
  CHECK(read_file(folder / "victim") == "kept");
  CHECK(read_file(folder / "a") == "new");
  fs::create_hard_link(folder / "victim", folder / "b");
  write_file(folder / "b", "new");
  CHECK(read_file(folder / "victim") == "kept");
}

TEST_CASE("links in a path are followed wherever they are, except those that another user may have planted") {
  namespace fs = std::filesystem;
  const Folder folder;
  fs::create_directories(folder / "far/away");
  fs::create_directory_symlink("far", folder / "near");
  fs::create_directory_symlink("../far/away", folder / "far/again");
  write_file(folder / "near/./again/../away/file", "x");
  CHECK(read_file(folder / "far/away/file") == "x");
  write_file(folder / "near/again//other", "x");
  CHECK(fs::exists(folder / "far/away/other"));
  CHECK(failure([&] { write_file(folder / "far/away/file/x", "x"); }).ends_with("Not a directory"));
  CHECK(failure([&] { write_file(folder / "new/", "x"); }).ends_with("Is a directory"));
  CHECK(failure([&] { write_file("", "x"); }).ends_with("No such file or directory"));
  if (::geteuid() != 0 || ::lchown((folder / "near").c_str(), 65534, 65534) != 0) {
    test::skip_without("only root can give a link to another user");
    return;
  }
  write_file(folder / "near/file", "x");  // only the owner of the folder could put the link there
  fs::remove(folder / "near/file");
  fs::permissions(folder / ".", fs::perms::all | fs::perms::sticky_bit);
  const std::string told = failure([&] { write_file(folder / "near/file", "x"); });
  CHECK(told.find("'near' in it is a link of another user") != std::string::npos);
  fs::create_symlink("far/away/file", folder / "link");
  REQUIRE(::lchown((folder / "link").c_str(), 65534, 65534) == 0);
  CHECK(failure([&] { write_file(folder / "link", "y"); }).find("is a link of another user") != std::string::npos);
  CHECK(read_file(folder / "far/away/file") == "x");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0666) == 0);
  REQUIRE(::chown((folder / "pipe").c_str(), 65534, 65534) == 0);
  CHECK(failure([&] { write_file(folder / "pipe", "y"); }).ends_with("it is a pipe of another user"));
  REQUIRE(::chown((folder / "far/away/file").c_str(), 65534, 65534) == 0);
  write_file(folder / "far/away/file", "by root");
  struct stat facts {};
  REQUIRE(::stat((folder / "far/away/file").c_str(), &facts) == 0);
  CHECK(facts.st_uid == 65534);  // root changes the content of others' files, not their owner
}

TEST_CASE("errors name the path and the system's reason") {
  const Folder folder;
  CHECK(failure([&] { (void)read_file(folder / "absent"); }) ==
        "cannot read '" + folder / "absent" + "': No such file or directory");
  CHECK(failure([&] { (void)read_file(folder / "."); }).ends_with("Is a directory"));
  CHECK(failure([&] { write_file(folder / "no/such/folder", "x"); }).ends_with("No such file or directory"));
  CHECK(failure([&] { write_file(folder / ".", "x"); }).ends_with("Is a directory"));
}

TEST_CASE("a file beyond the limit of a file's size is an error, and what was there stays") {
  const Folder folder;
  write_file(folder / "kept", "old");
  {
    const FileSizeLimit limit(100);
    CHECK(failure([&] { write_file(folder / "kept", std::string(101, 'x')); }).ends_with("File too large"));
    write_file(folder / "fits", std::string(100, 'x'));
  }
  CHECK(read_file(folder / "kept") == "old");
  CHECK(folder.entries() == 2);
}

TEST_CASE("too large a file is refused before it is read") {
  const Folder folder;
  const std::string path = folder / "large";
  write_file(path, std::string(100, 'x'));
  CHECK(failure([&] { (void)read_file(path, 99); }) == "'" + path + "' is too large: 100 bytes, at most 99 are read");
  CHECK(read_file(path, 100).size() == 100);
}

TEST_CASE("what never ends is read up to a limit of its own") {
  const auto whole = [](std::size_t limit, std::size_t stream_limit) {
    return failure([&] { (void)Input("/dev/zero").whole(limit, stream_limit); });
  };
  CHECK(whole(1000, 100) ==
        "'/dev/zero' is too large: of a pipe, a device or what is compressed at most 100 bytes are read");
  CHECK(whole(100, 1000) == "'/dev/zero' is too large: at most 100 bytes are read");
  const Folder folder;
  write_file(folder / "file", std::string(100, 'x'));
  CHECK(Input(folder / "file").whole(100, 1).size() == 100);
  CHECK(failure([] { (void)read_file("/dev/zero"); }).find(std::to_string(kLargestStream)) != std::string::npos);
}

TEST_CASE("what is no plain file is written in place, not replaced") {
  const Folder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const Descriptor reading(::open(path.c_str(), O_RDWR | O_CLOEXEC));  // open both ways: nothing waits for a reader
  REQUIRE(reading);
  write_file(path, "through");
  std::string got(16, '\0');
  CHECK(::read(reading.number(), got.data(), got.size()) == 7);
  CHECK(got.substr(0, 7) == "through");
  CHECK(std::filesystem::is_fifo(path));
  std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(reading.number()), folder / "link");
  write_file(folder / "link", "links");  // /dev/stdout is such a link
  CHECK(::read(reading.number(), got.data(), got.size()) == 5);
  std::filesystem::remove(folder / "link");
  CHECK(folder.entries() == 1);
}

TEST_CASE("of files that were found in a directory only regular ones are read, and a pipe is not waited for") {
  const Folder folder;
  write_file(folder / "file", "content");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::filesystem::create_symlink(folder / "file", folder / "link");
  CHECK(read_found_file(folder / "file") == "content");
  CHECK(read_found_head(folder / "file", 3) == "con");
  for (const char* name : {"pipe", "link"}) {
    CAPTURE(name);
    const std::string refused = "cannot read '" + (folder / name) + "': not a regular file";
    CHECK(failure([&] { (void)read_found_file(folder / name); }) == refused);
    CHECK(failure([&] { (void)read_found_head(folder / name, 1); }) == refused);
  }
  CHECK(failure([] { (void)read_found_head("/dev/zero", 1); }) == "cannot read '/dev/zero': not a regular file");
  CHECK(failure([&] { (void)read_found_file(folder / "file", 3); }).find("too large") != std::string::npos);
  CHECK(failure([&] { (void)read_found_file(folder / "absent"); }).find("No such file") != std::string::npos);
}
