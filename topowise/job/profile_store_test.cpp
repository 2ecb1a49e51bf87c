// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/job/profile_store.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include <tests/lack.hpp>

using namespace topowise;
using namespace topowise::job;

namespace {

std::optional<std::string> folder_with(const std::map<std::string, std::string>& variables) {
  return store_folder([&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

}  // namespace

TEST_CASE("the store is where the user says, else in the cache, else in the home") {
  CHECK(folder_with({{"TOPOWISE_PROFILES", "/p"}, {"HOME", "/h"}}) == "/p");
  CHECK(folder_with({{"XDG_CACHE_HOME", "/c"}, {"HOME", "/h"}}) == "/c/topowise/profiles");
  CHECK(folder_with({{"XDG_CACHE_HOME", "c"}, {"HOME", "/h"}}) == "/h/.cache/topowise/profiles");
  CHECK(folder_with({{"TOPOWISE_PROFILES", ""}, {"HOME", "/h"}}) == "/h/.cache/topowise/profiles");
  CHECK_FALSE(folder_with({}));
}

TEST_CASE("a program and its number of ranks name a profile") {
  const std::string name = stored_profile("/p", "/opt/lammps", 16);
  CHECK(name.starts_with("/p/lammps-"));
  CHECK(name.ends_with("-16.traffic"));
  CHECK(name != stored_profile("/p", "/opt/lammps", 8));
  CHECK(name != stored_profile("/p", "/home/me/lammps", 16));
}

TEST_CASE("a profile in the store is made for this user, and what others could have put there is not used") {
  namespace fs = std::filesystem;
  const fs::path place = fs::temp_directory_path() / ("store-place-" + std::to_string(::getpid()));
  const std::string store = place / "store";
  const auto why_not = [&] { return open_stored_profile(store, "/bin/app", 4).why_not; };
  const std::string path = open_stored_profile(store, "/bin/app", 4).path;
  CHECK(path == stored_profile(store, "/bin/app", 4));
  CHECK(why_not().empty());
  CHECK(fs::is_directory(path));
  SUBCASE("others can write to it") {
    fs::permissions(path, fs::perms::all);
    CHECK(why_not() == "'" + path + "' belongs to another user, or others can write to it");
  }
  SUBCASE("a link to an older recording") {
    fs::rename(path, place / "older");
    fs::create_symlink(place / "older", path);
    CHECK(why_not() == "'" + path + "' is no folder");
  }
  SUBCASE("a file") {
    fs::remove(path);
    std::ofstream(path) << "x";
    CHECK(why_not() == "'" + path + "' is no folder");
  }
  SUBCASE("others can exchange it") {
    fs::permissions(store, fs::perms::all);
    CHECK(why_not() == "others can exchange what is in '" + store + "' (chmod +t)");
    fs::permissions(store, fs::perms::all | fs::perms::sticky_bit);
    CHECK(why_not().empty());
  }
  SUBCASE("no folder can be made") {
    const StoredProfile none = open_stored_profile("/dev/null/store", "/bin/app", 4);
    CHECK(none.why_not == "cannot make the folder '/dev/null/store': Not a directory");
  }
  SUBCASE("the store or the folder belongs to another user") {
    if (::geteuid() == 0 && ::chown(path.c_str(), 65534, 65534) == 0) {
      CHECK(why_not() == "'" + path + "' belongs to another user, or others can write to it");
      REQUIRE(::chown(store.c_str(), 65534, 65534) == 0);
      CHECK(why_not() == "'" + store + "' belongs to user 65534");
      const std::string below = store + "/.cache/topowise";  // HOME is that user's, as sudo may keep it
      CHECK(open_stored_profile(below, "/bin/app", 4, false).why_not ==
            "cannot make the folder '" + below + "': '" + store + "' belongs to user 65534");
      CHECK(!fs::exists(store + "/.cache"));
    } else {
      test::skip_without("only root can give a folder to another user");
    }
  }
  fs::remove_all(place);
}

TEST_CASE("the program is a file on the path, or the script of an interpreter") {
  const auto folder = std::filesystem::temp_directory_path() / ("store-test-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string script = std::filesystem::canonical(folder).string() + "/app.py";
  std::ofstream(script) << "pass";
  CHECK(program_of({"python3.11", "-u", script, "x"}, "/usr/bin:/bin") == script);
  CHECK(program_of({"/usr/bin/env", "A=1", script}, "") == script);
  CHECK(program_of({"no-such-program", script}, "/usr/bin:/bin") == "no-such-program");
  CHECK(program_of({"true", "x"}, "/no:/usr/bin:/bin").starts_with("/"));
  CHECK(program_of({"sh", "-c", "true"}, "/usr/bin:/bin") == "sh -c true");
  CHECK(stored_profile("/p", "/bin/sh -c /x/y", 2).starts_with("/p/sh-"));
  std::filesystem::remove_all(folder);
}
