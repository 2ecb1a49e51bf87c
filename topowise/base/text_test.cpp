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

TEST_CASE("lines of a long text are found in any order") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::string(static_cast<std::size_t>(i % 7), 'x') + std::to_string(i) + "\n";
  const TextLines lines("t", text);
  REQUIRE(lines.size() == 1000);
  const auto expected = [](std::size_t i) { return std::string(i % 7, 'x') + std::to_string(i); };
  for (std::size_t i = 0; i < 1000; ++i) {
    CHECK(lines[i] == expected(i));
    const std::size_t jump = i * 389 % 1000;
    CHECK(lines[jump] == expected(jump));
    CHECK(lines[i] == expected(i));
  }
  CHECK(lines[1000].empty());
  CHECK(lines.at(999, lines[999].substr(5), "x").position.column == 6);
}

TEST_CASE("a line that is too long is refused where its words would be collected") {
  const std::string text = "one\n" + std::string(100, 'x') + "\n";
  CHECK_NOTHROW(TextLines("t", text, 101));
  CHECK_THROWS_WITH(TextLines("t", text, 100), "a line of more than 100 bytes");
}

TEST_CASE("words and parts are taken one by one") {
  std::string_view rest = "  a\tbc ";
  CHECK(take_word(rest) == "a");
  CHECK(take_word(rest) == "bc");
  CHECK(take_word(rest).empty());
  CHECK(rest.empty());
  rest = "a,,b,";
  CHECK(take_part(rest, ',') == "a");
  CHECK(take_part(rest, ',').empty());
  CHECK(take_part(rest, ',') == "b");
  CHECK(rest.empty());
  CHECK(split_blanks(" a b  c ", 2) == std::vector<std::string_view>{"a", "b"});
  CHECK(count_words(" a b  c ") == 3);
}

TEST_CASE("what would not be seen is shown by its number") {
  CHECK(printable("a\xe2\x80\xae"
                  "b") == "a\\u{202e}b");
  // Zero width, direction marks, embeddings, isolates, joiners, the mark of byte order, tags, controls, variants.
  for (const std::string_view unseen :
       {"\xe2\x80\x8b", "\xe2\x80\x8c",     "\xe2\x80\x8d", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa",
        "\xe2\x80\xae", "\xe2\x81\xa0",     "\xe2\x81\xa6", "\xe2\x81\xa9", "\xef\xbb\xbf", "\xd8\x9c",
        "\xc2\xad",     "\xf3\xa0\x81\x81", "\x1b",         "\x7f",         "\xc2\x9b",     "\n",
        "\r",           "\xef\xb8\x8f",     "\xe1\xa0\x8b"}) {
    const std::string shown = printable(unseen);
    CHECK(shown.starts_with("\\u{"));
    CHECK(printable(shown) == shown);
  }
  CHECK(printable("K\xc3\xb6ln \xe6\x9c\xba\xe5\x99\xa8\t\xff") == "K\xc3\xb6ln \xe6\x9c\xba\xe5\x99\xa8 ?");
  CHECK(printable_lines("a\n\tb\r\n") == "a\n\tb\\u{d}\n");
}
