// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/json_events.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <topowise/base/error.hpp>

using namespace topowise;

namespace {

/// Writes down the events that it gets.
class Log : public JsonVisitor {
 public:
  std::string text;

  void begin(const JsonPath& path) override { text += fmt::format("<{} ", of(path)); }
  void end(const JsonPath& path) override { text += fmt::format("{}> ", of(path)); }
  void scalar(const JsonPath& path, const JsonScalar& value) override {
    if (value.text == "refusing") fail("it refuses", "do something");
    text += fmt::format("{}={}{} ", of(path), value.text, value.kind == JsonScalar::Kind::number ? value.number : 0);
  }

 private:
  static std::string of(const JsonPath& path) {
    std::string steps;
    for (std::size_t i = 0; i < path.size(); ++i)
      steps += path.key(i).empty() ? fmt::format("/{}", path.place(i)) : fmt::format("/{}", path.key(i));
    return steps;
  }
};

std::string told(std::string_view text, JsonValues values = JsonValues::one) {
  Input bytes = Input::of_text("file", text);
  Log log;
  read_json_events(bytes, log, values);
  return log.text;
}

std::string refusal(std::string_view text, JsonValues values = JsonValues::one) {
  try {
    return told(text, values);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.diagnostics().front().render("error");
  }
}

}  // namespace

TEST_CASE("a text is passed on in its order, with the path to each value") {
  CHECK(told(R"({"a": [1, {"b": "x"}], "c": 2.5})") == "< </a /a/0=1 </a/1 /a/1/b=x0 /a/1> /a> /c=2.5 > ");
  CHECK(told("[]") == "< > ");
  CHECK(told("7") == "=7 ");
}

TEST_CASE("several values one after the other, as in JSON lines") {
  CHECK(told("{\"a\":1}\n{\"a\":2}\n\n{}\n", JsonValues::several) == "< /a=1 > < /a=2 > < > ");
  CHECK(refusal("{\"a\":1}\n{\"a\":2} 3").find("error: file:2:") == 0);
}

TEST_CASE("mistakes are shown where they are") {
  CHECK(refusal("{\"a\": 1,\n \"b\": tru}").find("error: file:2:10: ") == 0);
  CHECK(refusal("{\"a\": 1,\n \"b\": tru}").find("\n    2 |  \"b\": tru}\n") != std::string::npos);
  CHECK(refusal("{\"a\":").find("error: file:1:") == 0);
  CHECK(refusal("").find("error: file:1:1: ") == 0);
  const std::string refused = refusal("[\n 1,\n  \"refusing\"]");
  CHECK(refused.find("error: file:3:12: it refuses\n    3 |   \"refusing\"]\n") == 0);
  CHECK(refused.find("hint: do something") != std::string::npos);
  CHECK(refusal(std::string(1000, '[')).find("more than 256 values within each other") != std::string::npos);
}

TEST_CASE("places are right behind the block that the reader holds") {
  // A block is 1 MiB: the mistake is in the third block, and its line begins in the second.
  std::string text = "[\n" + std::string((1 << 20) + 100, ' ') + "\n" + std::string((1 << 20) + 100, ' ') + "x]";
  const std::string found = refusal(text);
  CHECK(found.find(fmt::format("error: file:3:{}: ", (1 << 20) + 101)) == 0);
  CHECK(found.find('|') == std::string::npos);  // the line is too long to be shown
}

TEST_CASE("memory does not grow with what says nothing") {
  const std::string text = "[\"" + std::string(std::size_t{18} << 20, 'a') + "\"]";
  CHECK(refusal(text).find("more than 16 MiB without a number or a text") != std::string::npos);
  std::string brackets = "[";
  const std::string spacious = "{" + std::string(61, ' ') + "},";  // the reader counts bytes, not brackets
  for (std::size_t i = 0; i < (std::size_t{17} << 20) / spacious.size(); ++i) brackets += spacious;
  CHECK(refusal(brackets + "{}]").find("more than 16 MiB without a number or a text") != std::string::npos);
}

TEST_CASE("whole numbers, also as texts") {
  const auto count = [](JsonScalar::Kind kind, double number, std::string_view text) {
    return JsonScalar{kind, number, text}.count();
  };
  CHECK(count(JsonScalar::Kind::number, 5, {}) == 5);
  CHECK(count(JsonScalar::Kind::text, 0, "12") == 12);
  CHECK_FALSE(count(JsonScalar::Kind::number, 1.5, {}).has_value());
  CHECK_FALSE(count(JsonScalar::Kind::number, -1, {}).has_value());
  CHECK_FALSE(count(JsonScalar::Kind::number, 1e300, {}).has_value());
  CHECK_FALSE(count(JsonScalar::Kind::text, 0, "-3").has_value());
  CHECK_FALSE(count(JsonScalar::Kind::null, 0, {}).has_value());
}
