// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/base/error.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace topowise;

TEST_CASE("a diagnostic without a place is one line, a hint is another") {
  const Error error =
      bad_input("traffic has 64 ranks, but 'x' offers 32 places", "--ranks-per-place 2 lets two ranks share a place");
  REQUIRE(error.diagnostics().size() == 1);
  CHECK(
      error.diagnostics()[0].render("error") ==
      "error: traffic has 64 ranks, but 'x' offers 32 places\nhint: --ranks-per-place 2 lets two ranks share a place");
  CHECK(error.status() == ExitStatus::bad_input);
}

TEST_CASE("a long line is cut around the caret, and control bytes are not printed") {
  Diagnostic found{"f", {3, 201}, "bad", std::string(200, '.') + "\x1b!" + std::string(200, '.'), {}};
  const std::string text = found.render("warning");
  CHECK(text.find('\x1b') == std::string::npos);
  const std::size_t caret_line = text.rfind('\n') + 1;
  const std::size_t source_line = text.rfind('\n', caret_line - 2) + 1;
  const std::size_t caret = text.find('^', caret_line) - caret_line;
  CHECK(text.substr(source_line + caret, 6) == "\\u{1b}");
  CHECK(caret_line - source_line < 120);
}

TEST_CASE("the caret is under what is shown, behind letters that are shown otherwise than they are written") {
  const Diagnostic found{"f", {3, 8}, "bad", "\xc3\xb6\xe2\x80\xae, !", {}};
  CHECK(found.render("error") == "error: f:3:8: bad\n    3 | \xc3\xb6\\u{202e}, !\n      |            ^");
}
