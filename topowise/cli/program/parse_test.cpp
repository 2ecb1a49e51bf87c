// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/program/program.hpp>

#include <doctest/doctest.h>

using namespace topowise;
using namespace topowise::cli;

namespace {

std::vector<std::string> colours() {
  return {"red", "green"};
}

const Verb& paint() {
  static const Verb verb = [] {
    Verb made{.name = "paint", .summary = "", .description = {}, .examples = {}};
    made.operands = {{"WALL", ""}, {"CEILING", "", false}};
    made.options = {{"--colour", "NAME", "", "", "red", colours, "colour"},
                    {"--coats", "N", "", "", "1"},
                    {"--dry", "TIME", "", "", "10s"},
                    {"--between", "A B", "", ""},
                    {"--quick", "", "", ""}};
    return made;
  }();
  return verb;
}

Arguments parse(std::vector<std::string> words) {
  return parse_arguments(paint(), words);
}

std::string refusal(std::vector<std::string> words) {
  try {
    (void)parse(std::move(words));
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("operands and options in any order, with fallbacks") {
  const Arguments arguments = parse({"--quick", "north", "--coats=3", "--between", "x", "y", "-"});
  CHECK(arguments.operand(0) == "north");
  CHECK(arguments.operand(1) == "-");
  CHECK(arguments.has("--quick"));
  CHECK(arguments.whole("--coats") == 3);
  CHECK(arguments.texts("--between") == std::vector<std::string>{"x", "y"});
  CHECK_FALSE(arguments.has("--colour"));
  CHECK(arguments.text("--colour") == "red");
  CHECK(arguments.time("--dry").value() == 10);
  CHECK(parse({"w", "--coats", "1", "--coats", "2"}).whole("--coats") == 2);
}

TEST_CASE("what is behind -- is an operand, or the command of a verb that takes one") {
  CHECK(parse({"--", "--quick"}).operand(0) == "--quick");
  Verb verb = paint();
  verb.operands.clear();
  verb.takes_command = true;
  const std::vector<std::string> words{"--quick", "--", "./app", "--coats", "--", "x"};
  const Arguments arguments = parse_arguments(verb, words);
  CHECK(arguments.command() == std::vector<std::string>{"./app", "--coats", "--", "x"});
  CHECK_FALSE(arguments.has("--coats"));
}

TEST_CASE("an option takes the next words whatever they are, and the last of several counts") {
  CHECK(parse({"w", "--coats", "-3"}).text("--coats") == "-3");
  CHECK(parse({"w", "--coats=-3"}).text("--coats") == "-3");
  CHECK(parse({"w", "--dry=", "--coats", "2"}).text("--dry").empty());
  CHECK(parse({"w", "--dry", "--quick"}).text("--dry") == "--quick");
  CHECK(parse({"w", "--dry=a=b"}).text("--dry") == "a=b");
  CHECK(parse({"w", "--between=x", "y"}).texts("--between") == std::vector<std::string>{"x", "y"});
  CHECK(parse({"w", "--between", "x", "y", "--between", "u", "v"}).texts("--between") ==
        std::vector<std::string>{"u", "v"});
  CHECK(parse({"w", "--quick", "--quick"}).has("--quick"));
}

TEST_CASE("a number below 0 is an operand") {
  CHECK(parse({"-5", "-1e3"}).operand(1) == "-1e3");
}

TEST_CASE("names are not abbreviated") {
  CHECK(refusal({"w", "--col", "red"}) == "unknown option '--col', did you mean '--colour'?");
  CHECK(refusal({"w", "--coat=1"}) == "unknown option '--coat', did you mean '--coats'?");
}

TEST_CASE("slips are named, with a suggestion") {
  CHECK(refusal({"w", "--colur", "red"}) == "unknown option '--colur', did you mean '--colour'?");
  CHECK(refusal({"w", "-q"}) == "unknown option '-q'");
  CHECK(refusal({"w", "--colour", "gren"}) == "--colour: unknown colour 'gren', did you mean 'green'?");
  CHECK(refusal({"w", "--coats"}) == "--coats: N is missing");
  CHECK(refusal({"w", "--between", "x"}) == "--between: A B is missing");
  CHECK(refusal({"w", "--quick=3"}) == "--quick: this option takes no value");
  CHECK(refusal({"w", "c", "floor"}) == "'floor' is one argument too many");
}

TEST_CASE("numbers out of range and missing operands are usage errors") {
  CHECK_THROWS_WITH_AS((void)parse({"w", "--coats", "x"}).whole("--coats"), "--coats: 'x' is not a whole number",
                       Error);
  CHECK_THROWS_WITH_AS((void)parse({"w", "--coats", "-1"}).whole("--coats"), "--coats: '-1' is below 0", Error);
  CHECK_THROWS_WITH_AS((void)parse({"w", "--coats", "9"}).whole("--coats", 0, 8), "--coats: '9' is above 8", Error);
  CHECK_THROWS_WITH_AS((void)parse({"w", "--dry", "-1"}).time("--dry"), "--dry: '-1' is not above 0", Error);
  CHECK_THROWS_WITH_AS((void)parse({"w", "--dry", "soon"}).time("--dry"), "--dry: 'soon' is not a time", Error);
  CHECK_THROWS_WITH_AS((void)parse({}).operand(0), "WALL is missing", Error);
}
