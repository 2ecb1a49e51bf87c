// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/json/writer.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <optional>

#include <topowise/base/units.hpp>

using topowise::JsonWriter;

TEST_CASE("members are on lines, rows on one line, nothing between empty brackets") {
  JsonWriter writer;
  writer.object().key("a").value(1).key("b").array().end();
  writer.key("c").array().array(JsonWriter::Layout::row).value(1).object().key("x").null().end().end().end().end();
  CHECK(std::move(writer).finish() == "{\n  \"a\": 1,\n  \"b\": [],\n  \"c\": [\n    [1, {\"x\": null}]\n  ]\n}\n");
}

TEST_CASE("numbers read back as the same double; infinities have no JSON") {
  JsonWriter writer;
  writer.array(JsonWriter::Layout::row).value(0.1).value(272.0).value(1e300).value(-0.0);
  writer.value(std::numeric_limits<double>::infinity()).value(true).end();
  CHECK(std::move(writer).finish() == "[0.1, 272, 1e+300, 0, null, true]\n");
}

TEST_CASE("what is not there is null") {
  JsonWriter writer;
  writer.array(JsonWriter::Layout::row).value_or_null(std::optional(7)).value_or_null(std::optional<double>());
  writer.value_or_null(std::optional(topowise::Seconds(0.5))).value_or_null(std::optional<topowise::Seconds>());
  writer.text_or_null("a").text_or_null("").end();
  CHECK(std::move(writer).finish() == "[7, null, 0.5, null, \"a\", null]\n");
}

TEST_CASE("text is escaped, and bytes that are no UTF-8 are replaced") {
  JsonWriter writer;
  writer.array(JsonWriter::Layout::row)
      .value("a\"\\\n")
      .value("µ€\xf0\x9f\x98\x80")
      .value("\xff\xc3(\xed\xa0\x80")
      .end();
  CHECK(std::move(writer).finish() ==
        "[\"a\\\"\\\\\\u000a\", \"µ€\xf0\x9f\x98\x80\", \"\\ufffd\\ufffd(\\ufffd\\ufffd\\ufffd\"]\n");
}

TEST_CASE("what a terminal would obey or hide is escaped, and is read back") {
  JsonWriter writer;
  writer.value("n\xe2\x80\xae\xe2\x80\x8b\x7f\xc2\x9b\xf3\xa0\x80\x81");
  const std::string text = std::move(writer).finish();
  CHECK(text == "\"n\\u202e\\u200b\\u007f\\u009b\\udb40\\udc01\"\n");
}
