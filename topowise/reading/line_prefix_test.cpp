// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/line_prefix.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace topowise;

TEST_CASE("what is before every line becomes blanks") {
  CHECK(without_line_prefix("> a\n>\n> b: c\n") == "  a\n \n  b: c\n");
  CHECK(without_line_prefix("node-1.x: a\nnode-1.x:\n\nnode-1.x: b") == "          a\n         \n\n          b");
  CHECK(without_line_prefix("0: a\r\n0: b\r\n") == "   a\r\n   b\r\n");
  CHECK(without_line_prefix("> {}") == "  {}");
  CHECK(without_line_prefix("> ---\n> - a: b\n") == "---  \n  - a: b\n");
}

TEST_CASE("what is before some lines stays") {
  for (const std::string text :
       {"", "n1: a\n", "> a\nb\n", "n1: a\nn2: b\n", "a:b\na:c\n", "Slot:\t1\nClass:\t2\n", "<a\n>\n", "0 1\n1 0\n"}) {
    CHECK(common_line_prefix(text).empty());
    CHECK(without_line_prefix(text) == text);
  }
}

TEST_CASE("the head of a text has the prefix of the whole") {
  std::string text;
  while (text.size() < 100'000) text += "n1: line\n";
  const std::string head = text.substr(0, 64 << 10);
  CHECK(common_line_prefix(head) == "n1:");
  CHECK(common_line_prefix(text + "the end") == "n1:");
  CHECK(without_line_prefix(text + "the end").ends_with("    line\nthe end"));
}

TEST_CASE("whose line it is") {
  CHECK(line_label("node-1.x: a") == "node-1.x:");
  CHECK(line_label(" 3: a") == " 3:");
  CHECK(line_label("n1:") == "n1:");
  CHECK(line_label("[1,3]<stdout>:a") == "[1,3]<stdout>:");
  CHECK(line_label("[pod/a/b] c") == "[pod/a/b]");
  for (const char* line : {"", "a:b", "> a", "[", "[4mGPU0", "GPU0 X", "two words: a"}) CHECK(line_label(line).empty());
}
