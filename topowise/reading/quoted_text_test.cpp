// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/quoted_text.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace topowise;

TEST_CASE("lines come out of a container's log") {
  CHECK(unquoted("{\"log\":\"\\ta\\n\",\"stream\":\"stdout\",\"time\":\"x\"}\n"
                 "{\"log\": \"\\u003cb \\\"c\\\"\\u003e\\n\", \"stream\": \"stdout\"}\n") == "\ta\n<b \"c\">\n");
  CHECK(unquoted("{\"log\":\"a\\n\"}\n{\"log\":\"cut her") == "a\ncut her");
  CHECK(unquoted("2026-11-26T06:00:00.1Z stdout F \ta\n2026-11-26T06:00:00.1Z stdout P b\n"
                 "2026-11-26T06:00:00.1Z stdout F c\n") == "\ta\nbc\n");
}

TEST_CASE("a string of JSON or Python is the text that it stands for") {
  for (const std::string text :
       {"'\\tA\\nB \\\\ \\x41\\n'\n", "b'\\tA\\nB \\\\ A\\n'", "\"\\tA\\nB \\\\ \\u0041\\n\"", "\\tA\\nB \\\\ A\\n"}) {
    CHECK(unquoted(text) == "\tA\nB \\ A\n");
  }
}

TEST_CASE("HTML's entities") {
  CHECK(unquoted("GPU0&#9; X &nbsp;NV1\n &lt;= &amp;lt;") == "GPU0\t X  NV1\n <= &lt;");
}

TEST_CASE("what quotes nothing stays as it is") {
  for (const std::string text :
       {"", "\\", "{\"log\": 1}\n", "{\"logs\":\"a\\n\"}", "{\"a\":\"b\\nc\"}", "[\"b\\nc\"]", "<a b='c\\nd &gt;'/>",
        "R&amp;D\n", "{\"a\": \"&gt;\"}", "a\\nb\nc", "2026-11-26T06:00:00.1Z a b c\n", "banner\n<a b='&quot;'/>\n"}) {
    CHECK(unquoted(text) == text);
  }
  CHECK(without_escapes("\\q\\u00zz\\") == "\\q\\u00zz\\");
}
