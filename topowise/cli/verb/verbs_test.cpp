// SPDX-License-Identifier: BSD-3-Clause
// The tables themselves: every terminal must be able to print their texts.
#include <topowise/cli/verb/verbs.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/completion.hpp>
#include <topowise/cli/help.hpp>
#include <topowise/cli/manual.hpp>

using namespace topowise;
using namespace topowise::cli;

namespace {

/// The verbs and their members.
std::vector<Verb> all_verbs() {
  std::vector<Verb> all;
  for (const Verb& verb : verbs()) {
    all.push_back(verb);
    all.insert(all.end(), verb.members.begin(), verb.members.end());
  }
  return all;
}

}  // namespace

TEST_CASE("every verb has an example of itself, and options with names, groups and help") {
  for (const Verb& verb : all_verbs()) {
    CAPTURE(verb.name);
    CHECK(bool(verb.run));
    REQUIRE_FALSE(verb.examples.empty());
    CHECK(std::ranges::all_of(verb.examples, [&](std::string_view example) {
      return example.find("topowise " + verb.words()) != std::string_view::npos;
    }));
    std::set<std::string_view> names;
    for (const Option& option : verb.options) {
      CAPTURE(option.name);
      CHECK(option.name.starts_with("--"));
      CHECK(names.insert(option.name).second);
      CHECK_FALSE(option.group.empty());
      CHECK_FALSE(option.help.empty());
      CHECK((option.choices == nullptr) == option.kind.empty());
      if (option.choices != nullptr && !option.fallback.empty()) {
        const std::vector<std::string> choices = option.choices();
        CHECK(std::ranges::find(choices, option.fallback) != choices.end());
      }
    }
  }
}

TEST_CASE("docs/cli.md names every verb and option") {
  const std::string page = read_file(TOPOWISE_SOURCE_DIR "/docs/cli.md");
  const auto named = [&](std::string_view word) {
    const auto is_part = [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); };
    for (std::size_t at = page.find(word); at != std::string::npos; at = page.find(word, at + 1)) {
      if (!is_part(page[at + word.size()])) return true;
    }
    return false;
  };
  CHECK_FALSE(named("--mappe"));
  for (const Verb& verb : all_verbs()) {
    CHECK((!verb.of.empty() || named("`" + std::string(verb.name))));
    for (const Option& option : verb.options) {
      CAPTURE(option.name);
      CHECK(named(option.name));
    }
  }
}

TEST_CASE("help fits the terminal, the example comes first") {
  for (const Verb& verb : all_verbs()) {
    const std::string text = verb_help(verb, 80);
    CAPTURE(text);
    CHECK(text.find("example:") < text.find("usage:"));
    for (const std::string_view line : split(text, '\n')) {
      const bool is_example = std::ranges::find(verb.examples, trim(line)) != verb.examples.end();
      CHECK((line.size() < 80 || is_example || line.starts_with("usage:")));
    }
  }
  CHECK(overview(verbs(), 80).find("topowise map app.traffic live") != std::string::npos);
}

TEST_CASE("manual pages and completions name every verb and option") {
  const std::string overall = manual_page(verbs());
  for (const std::string& shell : shells()) {
    const std::string script = completion_script(shell, verbs());
    for (const Verb& verb : all_verbs()) {
      CHECK(script.find(verb.name) != std::string::npos);
      for (const Option& option : verb.options) CHECK(script.find(option.name.substr(2)) != std::string::npos);
    }
  }
  for (const Verb& verb : verbs()) {
    CHECK(overall.find("topowise\\-" + std::string(verb.name)) != std::string::npos);
    const std::string page = manual_page(verb);
    CHECK(page.starts_with(".TH TOPOWISE-"));
    CHECK(page.find(".SH EXAMPLES") != std::string::npos);
  }
}

TEST_CASE("every verb prints JSON but those whose result is a page, a program or a text to read") {
  std::set<std::string_view> without;
  for (const Verb& verb : verbs()) {
    if (verb.option("--json") == nullptr) without.insert(verb.name);
  }
  CHECK(without == std::set<std::string_view>{"report", "run", "help", "completion"});
}

TEST_CASE("a member of a verb has its own options and no others") {
  const Verb& bench = verb_named(verbs(), "bench");
  std::vector<std::string> words{"--weight", "3", "stencil2d"};
  const Verb& stencil = member_named(bench, words);
  CHECK(stencil.words() == "bench stencil2d");
  CHECK(words == std::vector<std::string>{"--weight", "3"});
  CHECK(stencil.option("--weight") != nullptr);
  CHECK(stencil.option("--algorithm") == nullptr);
  CHECK(bench.option("--weight") == nullptr);
  words = {"nothing", "--", "stencil2d"};
  CHECK(&member_named(bench, words) == &bench);
}
