// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/meeting/posted_file.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include <tests/fixtures/file_size_limit.hpp>
#include <topowise/base/error.hpp>

using namespace topowise;
using namespace topowise::job;
using namespace std::chrono_literals;

namespace fs = std::filesystem;

namespace {

/// A folder for one test; it is not made yet.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("posted-file-test-" + std::to_string(::getpid()))) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] PrivateFolder open() const {
    return PrivateFolder::make(path_.parent_path().string(), path_.filename().string());
  }
  [[nodiscard]] std::function<PrivateFolder()> maker() const {
    return [this] { return open(); };
  }

 private:
  fs::path path_;
};

/// The reason why nothing was posted; `pauses` gets the length of each pause.
std::string reason(const Folder& folder, const std::string& name, std::vector<std::chrono::microseconds>& pauses) {
  try {
    (void)post(folder.maker(), name, "mine", [&](std::chrono::microseconds time) { pauses.push_back(time); });
  } catch (const Error& error) {
    return error.diagnostics().front().what;
  }
  return "no error";
}

}  // namespace

TEST_CASE("a file counts as long as its writer holds it") {
  const Folder folder;
  {
    const PostedFile file = post(folder.maker(), "a", "mine");
    CHECK(living_text(folder.open(), "a") == "mine");
  }
  CHECK_FALSE(living_text(folder.open(), "a"));
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a file that cannot be written is tried once, reports the system's reason, and leaves nothing behind") {
  const Folder folder;
  std::vector<std::chrono::microseconds> pauses;
  std::string why;
  {
    const FileSizeLimit limit(0);
    why = reason(folder, "a", pauses);
  }
  CHECK(why.ends_with(": File too large"));
  CHECK(pauses.empty());
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("where the folder is removed again and again, ten attempts are made, each after a longer pause") {
  const Folder folder;
  std::vector<std::chrono::microseconds> pauses;
  // ".gone/a" can never be made: the system reports the same error as for a folder that is removed.
  CHECK(reason(folder, "gone/a", pauses).ends_with(": No such file or directory"));
  REQUIRE(pauses.size() == 9);
  CHECK(pauses.front() == 200us);
  for (std::size_t i = 1; i < pauses.size(); ++i) CHECK(pauses[i] == 2 * pauses[i - 1]);
}

TEST_CASE("a folder that was removed a few times is no reason to give up") {
  const Folder folder;
  int pauses = 0;
  const PostedFile file = post(folder.maker(), "late/a", "mine", [&](std::chrono::microseconds) {
    if (++pauses == 3) {
      fs::create_directory(folder.path() / ".late");
      fs::create_directory(folder.path() / "late");
    }
  });
  CHECK(pauses == 3);
  CHECK(living_text(folder.open(), "late/a") == "mine");
}
