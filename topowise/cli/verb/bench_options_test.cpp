// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/bench_options.hpp>

#include <doctest/doctest.h>

#include <filesystem>

#include <topowise/base/file.hpp>
#include <topowise/cli/verb/verbs.hpp>

using namespace topowise;
using namespace topowise::cli;

TEST_CASE("a table of what was measured so far is made only for a directory that is asked for") {
  std::vector<std::string> words{"stencil2d"};
  const Verb bench = bench_verb();
  const Verb& verb = member_named(bench, words);
  int asked = 0;
  const auto table = [&] {
    ++asked;
    return benchmark::ResultTable{
        .name = "so-far", .title = "so far", .columns = {"bytes"}, .rows = {{std::int64_t{4}}}};
  };
  save_so_far(Arguments(verb, {}, {}, {}), table, 1);
  CHECK(asked == 0);
  const std::string folder = (std::filesystem::temp_directory_path() / "topowise-so-far-test").string();
  std::filesystem::create_directories(folder);
  save_so_far(Arguments(verb, {}, {{"--save", {folder}}}, {}), table, 1);
  CHECK(asked == 1);
  CHECK(read_text(folder + "/so-far.csv") == "bytes\n4\n");
  std::filesystem::remove_all(folder);
}
