// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <topowise/base/file.hpp>
#include <topowise/collective/tuning.hpp>

using namespace topowise;
using namespace topowise::collective;

namespace {

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "tuning_test-XXXXXX") {
    std::string name = path_.string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

const std::size_t kRing = find_algorithm("ring");
const std::size_t kFused = find_algorithm("leader-fused");

}  // namespace

TEST_CASE("what was tuned is found again, by ranks and GPUs, on the same machine") {
  const Folder folder;
  const std::string file = folder.file("made/on/the/way/host.json");
  std::string message;
  CHECK_FALSE(read_tuning(file, "A", message));
  CHECK(message.empty());  // there is no tuning yet
  write_tuning(file, "A", {.ranks = 8, .gpus = 4, .sizes = {{4, kFused}, {1024, kFused}}});
  write_tuning(file, "A", {.ranks = 4, .gpus = 4, .sizes = {{4, kFused}}});
  write_tuning(file, "A", {.ranks = 8, .gpus = 4, .sizes = {{64, kRing}}});  // replaces the first one
  const std::optional<Tuning> tuning = read_tuning(file, "A", message);
  REQUIRE(tuning);
  CHECK(message.empty());
  CHECK(tuning->rows.size() == 2);
  CHECK(tuned_algorithm(*tuning, layout_in_turn(8, 4), 4) == kRing);
  CHECK(tuned_algorithm(*tuning, layout_in_turn(4, 4), 4) == kFused);
  CHECK_FALSE(tuned_algorithm(*tuning, layout_in_turn(2, 2), 4));
}

TEST_CASE("a file that others can change is ignored, unless the user names it") {
  const Folder folder;
  const std::string file = folder.file("host.json");
  write_tuning(file, "A", {.ranks = 8, .gpus = 4, .sizes = {{4, kFused}}});
  std::filesystem::permissions(file, std::filesystem::perms::others_write, std::filesystem::perm_options::add);
  std::string message;
  CHECK_FALSE(read_tuning(file, "A", message));
  CHECK(message == file + " is ignored: cannot trust '" + file + "': every user can write to it");
  ::setenv("TOPOWISE_ALLREDUCE_TUNING", file.c_str(), 1);
  CHECK(read_tuning(file, "A", message));
  ::unsetenv("TOPOWISE_ALLREDUCE_TUNING");
  std::filesystem::permissions(file, std::filesystem::perms::others_write, std::filesystem::perm_options::remove);
  if (::geteuid() != 0) return;
  REQUIRE(::chown(file.c_str(), 65534, 65534) == 0);
  CHECK_FALSE(read_tuning(file, "A", message));
  CHECK(message == file + " is ignored: cannot trust '" + file + "': it belongs to user 65534");
}

TEST_CASE("nothing is kept in a folder of another user, unless the user names the file") {
  const Folder folder;
  const std::string file = folder.file("cache/host.json");
  std::filesystem::create_directory(folder.file("cache"));
  std::filesystem::permissions(folder.file("cache"), std::filesystem::perms::all);
  const auto why = "cannot trust '" + folder.file("cache") + "': it belongs to another user, or others can write to it";
  const auto write = [&] { write_tuning(file, "A", {.ranks = 8, .gpus = 4, .sizes = {{4, kFused}}}); };
  CHECK_THROWS_WITH_AS(write(), why.c_str(), Error);
  CHECK(!std::filesystem::exists(file));
  ::setenv("TOPOWISE_ALLREDUCE_TUNING", file.c_str(), 1);
  write();
  ::unsetenv("TOPOWISE_ALLREDUCE_TUNING");
  CHECK(std::filesystem::exists(file));
}

TEST_CASE("another machine's file is ignored with one line, and replaced by what is measured here") {
  const Folder folder;
  const std::string file = folder.file("host.json");
  write_tuning(file, "A", {.ranks = 8, .gpus = 4, .sizes = {{4, kFused}}});
  std::string message;
  CHECK_FALSE(read_tuning(file, "B", message));
  CHECK(message == file + " was measured on 'A' and is ignored on 'B'");
  write_tuning(file, "B", {.ranks = 2, .gpus = 1, .sizes = {{4, kFused}}});
  CHECK(read_tuning(file, "B", message)->rows.size() == 1);
}

TEST_CASE("a damaged file is ignored with one line") {
  const Folder folder;
  const std::string file = folder.file("host.json");
  for (
      const char* text :
      {"", "{", "[]", R"({"schema": "topowise.mapping/1"})",
       R"({"schema": "topowise.allreduce-tuning/1", "machine": 3})",
       R"({"schema": "topowise.allreduce-tuning/1", "machine": "A", "rows": [{"ranks": 2, "gpus": 1, "sizes": [{"bytes": 4, "algorithm": "rang"}]}]})",
       R"({"schema": "topowise.allreduce-tuning/1", "machine": "A", "rows": [{"ranks": 2, "gpus": 1, "sizes": [{"bytes": 0, "algorithm": "ring"}]}]})"}) {
    CAPTURE(text);
    write_file(file, text);
    std::string message;
    CHECK_FALSE(read_tuning(file, "A", message));
    CHECK(message.starts_with(file + " is ignored: "));
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("the fastest of those whose results are right") {
  const auto times = [](std::size_t algorithm, double four, double eight, bool right, bool used = true) {
    AlgorithmTimes made{.algorithm = algorithm, .used = used};
    if (used)
      made.timings = {{.bytes = 4, .mean = Seconds(four), .right = true},
                      {.bytes = 8, .mean = Seconds(eight), .right = right}};
    return made;
  };
  Measurement measured{.gpus = 4};
  measured.algorithms = {times(0, 3, 9, true), times(1, 2, 1, false), times(kRing, 4, 5, true),
                         times(kFused, 0, 0, true, false)};
  MeasureOptions options{.ranks = 3};
  options.sizes = {4, 8};
  const Tuning::Row row = fastest(options, measured);
  CHECK(row.ranks == 3);
  CHECK(row.gpus == 3);
  REQUIRE(row.sizes.size() == 2);
  CHECK(row.sizes[0].algorithm == 1);
  CHECK(row.sizes[1].algorithm == kRing);
}
