// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/block_lines.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace topowise;

namespace {

std::vector<std::string> lines_of(std::string_view text) {
  Input input = Input::of_text("t", text);
  BlockLines lines(input);
  std::vector<std::string> all;
  while (lines.next()) {
    all.emplace_back(lines.line());
    CHECK(lines.number() == all.size());
  }
  return all;
}

}  // namespace

TEST_CASE("lines end with LF or CR LF, the last one also with the text") {
  CHECK(lines_of("").empty());
  CHECK(lines_of("a") == std::vector<std::string>{"a"});
  CHECK(lines_of("a\n\nb\r\n") == std::vector<std::string>{"a", "", "b"});
}

TEST_CASE("a line may lie in several blocks, up to its limit") {
  const std::string text = std::string(300000, 'x') + "\nlast";
  CHECK(lines_of(text) == std::vector<std::string>{std::string(300000, 'x'), "last"});
  Input input = Input::of_text("t", text);
  BlockLines lines(input, 1000);
  CHECK_THROWS_WITH_AS((void)lines.next(), doctest::Contains("a line of more than 1000 bytes"), Error);
}

TEST_CASE("a diagnostic shows the line and where in it") {
  Input input = Input::of_text("t", "one\ntwo three\n");
  BlockLines lines(input);
  REQUIRE(lines.next());
  REQUIRE(lines.next());
  const Diagnostic found = lines.at(lines.line().substr(4), "what");
  CHECK(found.position.line == 2);
  CHECK(found.position.column == 5);
  CHECK(found.source_line == "two three");
}
