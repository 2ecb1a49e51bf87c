// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/text.hpp>
#include <topowise/base/text_lines.hpp>

#include <doctest/doctest.h>

#include <array>

using namespace topowise;

TEST_CASE("split keeps empty parts, split_blanks has none") {
  CHECK(split("a,,b", ',') == std::vector<std::string_view>{"a", "", "b"});
  CHECK(split_blanks(" a\t\t b ") == std::vector<std::string_view>{"a", "b"});
}

TEST_CASE("numbers take the whole text or nothing") {
  CHECK(parse_double("1.5e3") == 1500.0);
  CHECK_FALSE(parse_double("1.5x"));
  CHECK_FALSE(parse_double(""));
  CHECK(parse_integer("-7") == -7);
  CHECK_FALSE(parse_integer("7.0"));
}

TEST_CASE("a slip of the finger is recognised, a different word is not") {
  const std::array<std::string, 4> names{"tabu", "greedy", "exact", "multilevel"};
  CHECK(unknown_name("mapper", "tabo", names) == "unknown mapper 'tabo', did you mean 'tabu'?");
  CHECK(unknown_name("mapper", "tbau", names) == "unknown mapper 'tbau', did you mean 'tabu'?");
  CHECK(unknown_name("mapper", "GREED", names) == "unknown mapper 'GREED', did you mean 'greedy'?");
  CHECK(unknown_name("mapper", "multi", names) == "unknown mapper 'multi', did you mean 'multilevel'?");
  CHECK(unknown_name("mapper", "simulated-annealing", names) == "unknown mapper 'simulated-annealing'");
}

TEST_CASE("lines are cut at LF and CR LF, and a diagnostic points at its cell") {
  const std::string text = "one\r\ntwo three\n\nlast";
  const TextLines lines("file.txt", text);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "one");
  CHECK(lines[3] == "last");
  const Diagnostic found = lines.at(1, lines[1].substr(4), "unknown word 'three'");
  CHECK(found.render("error") == "error: file.txt:2:5: unknown word 'three'\n    2 | two three\n      |     ^");
}
