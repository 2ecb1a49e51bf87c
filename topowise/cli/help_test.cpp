// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/help.hpp>

#include <doctest/doctest.h>

#include <topowise/cli/option.hpp>

using namespace topowise;
using namespace topowise::cli;

namespace {

std::vector<std::string> colours() {
  return {"red", "green"};
}

Verb paint() {
  Verb verb{.name = "paint", .summary = "colour a wall", .description = {}, .examples = {"topowise paint north"}};
  verb.operands = {{"WALL", "which one"}, {"CEILING", "also this", false}};
  verb.options = {{"--colour", "NAME", "look", "what it is to be", "red", colours, "colour"},
                  {"--quick", "", "work", "one coat only"}};
  return verb;
}

}  // namespace

TEST_CASE("text is wrapped at words, with its own line ends kept") {
  CHECK(wrap("one two three\nfour", 8, 2) == "one two\n  three\n  four");
  CHECK(wrap("unbreakable", 3, 1) == "unbreakable");
}

TEST_CASE("the help of a verb: example, usage, arguments, options by group with choices and defaults") {
  CHECK(verb_help(paint(), 80) ==
        "topowise paint: colour a wall\n\n"
        "example:\n  topowise paint north\n\n"
        "usage: topowise paint WALL [CEILING] [options]\n\n"
        "arguments\n  WALL     which one\n  CEILING  also this\n\n"
        "look\n  --colour NAME  what it is to be: red, green [red]\n\n"
        "work\n  --quick  one coat only\n");
}

TEST_CASE("the overview lists the verbs it is given") {
  const std::vector<Verb> verbs{paint()};
  CHECK(overview(verbs, 80).find("verbs\n  paint  colour a wall\n") != std::string::npos);
}

TEST_CASE("a verb that is not there is met with the nearest one") {
  const std::vector<Verb> verbs{paint()};
  CHECK(verb_named(verbs, "paint").summary == "colour a wall");
  CHECK_THROWS_WITH_AS((void)verb_named(verbs, "pant"), "unknown verb 'pant', did you mean 'paint'?", Error);
}
