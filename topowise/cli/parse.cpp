// SPDX-License-Identifier: BSD-3-Clause
// The only user of CLI11: it cuts the words; names, choices and messages are ours.
#include <topowise/cli/parse.hpp>

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include <topowise/base/text.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> option_names(const Verb& verb) {
  std::vector<std::string> names;
  for (const Option& option : verb.options) names.emplace_back(option.name);
  return names;
}

std::string help_hint(const Verb& verb) {
  return fmt::format("topowise {} --help", verb.name);
}

/// Words that CLI11 could not place: options that do not exist, or operands.
std::vector<std::string> take_operands(const Verb& verb, std::vector<std::string> rest) {
  for (const std::string& word : rest) {
    if (word.size() < 2 || word.front() != '-' || parse_double(word)) continue;
    const std::string name = word.substr(0, word.find('='));
    if (verb.option(name) != nullptr)
      throw usage_error(fmt::format("{}: this option takes no value", name), help_hint(verb));
    throw usage_error(unknown_name("option", name, option_names(verb)), help_hint(verb));
  }
  if (rest.size() > verb.operands.size()) {
    throw usage_error(fmt::format("'{}' is one argument too many", printable(rest[verb.operands.size()].substr(0, 80))),
                      verb.usage());
  }
  return rest;
}

}  // namespace

Arguments parse_arguments(const Verb& verb, std::span<const std::string> words) {
  const auto dashes = std::ranges::find(words, std::string("--"));
  std::vector<std::string> before(words.begin(), dashes);
  std::vector<std::string> behind(dashes == words.end() ? dashes : dashes + 1, words.end());

  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::map<std::string, CLI::Option*> added;
  for (const Option& option : verb.options) {
    const std::string name(option.name);
    added[name] =
        option.values() == 0
            ? app.add_flag(name)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
            : app.add_option(name)->expected(option.values())->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  std::ranges::reverse(before);  // CLI11 takes its words from the back
  try {
    app.parse(std::move(before));
  } catch (const CLI::ArgumentMismatch&) {
    for (const Option& option : verb.options) {
      const std::size_t got = added[std::string(option.name)]->results().size();
      if (option.values() > 0 && added[std::string(option.name)]->count() > 0 &&
          got % static_cast<std::size_t>(option.values()) != 0)
        throw usage_error(fmt::format("{}: {} is missing", option.name, option.value), help_hint(verb));
    }
    throw usage_error(fmt::format("the last option lacks its value"), help_hint(verb));
  } catch (const CLI::ParseError& failure) {
    throw usage_error(printable(failure.what()), help_hint(verb));
  }

  std::map<std::string, std::vector<std::string>> given;
  for (const Option& option : verb.options) {
    const CLI::Option* parsed = added[std::string(option.name)];
    if (parsed->count() > 0) given[std::string(option.name)] = parsed->reduced_results();
  }
  std::vector<std::string> operands = app.remaining();
  if (!verb.takes_command) operands.insert(operands.end(), behind.begin(), behind.end());
  return {verb, take_operands(verb, std::move(operands)), std::move(given),
          verb.takes_command ? std::move(behind) : std::vector<std::string>{}};
}

}  // namespace topowise::cli
