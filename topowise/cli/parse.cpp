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

Error missing_value(const Verb& verb, const Option& option) {
  return usage_error(fmt::format("{}: {} is missing", option.name, option.value), help_hint(verb));
}

/// CLI11's message begins with the name of the option, with or without its dashes.
Error mismatch(const Verb& verb, std::string_view message) {
  for (const Option& option : verb.options) {
    if (!message.starts_with(option.name) && !message.starts_with(option.name.substr(2))) continue;
    return option.values() > 0
               ? missing_value(verb, option)
               : usage_error(fmt::format("{}: this option takes no value", option.name), help_hint(verb));
  }
  return usage_error(printable(message), help_hint(verb));
}

/// Words that CLI11 could not place are operands, unless they look like options.
void refuse_options(const Verb& verb, std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word.size() < 2 || word.front() != '-' || parse_double(word)) continue;
    const std::string name = word.substr(0, word.find('='));
    throw usage_error(unknown_name("option", name, option_names(verb)), help_hint(verb));
  }
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
            ? app.add_flag(name)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->disable_flag_override()
            : app.add_option(name)->expected(option.values())->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  std::ranges::reverse(before);  // CLI11 takes its words from the back
  try {
    app.parse(std::move(before));
  } catch (const CLI::ArgumentMismatch& failure) {
    throw mismatch(verb, failure.what());
  } catch (const CLI::ParseError& failure) {
    throw usage_error(printable(failure.what()), help_hint(verb));
  }

  std::map<std::string, std::vector<std::string>> given;
  for (const Option& option : verb.options) {
    const CLI::Option* parsed = added[std::string(option.name)];
    if (parsed->count() == 0) continue;
    std::vector<std::string> values = parsed->reduced_results();
    if (values.size() < static_cast<std::size_t>(option.values())) throw missing_value(verb, option);
    given[std::string(option.name)] = std::move(values);
  }
  std::vector<std::string> operands = app.remaining();
  refuse_options(verb, operands);
  if (verb.takes_command && operands.size() > verb.operands.size()) {
    throw usage_error(fmt::format("'{}' stands before '--'", printable(operands[verb.operands.size()].substr(0, 80))),
                      verb.usage());
  }
  if (!verb.takes_command) operands.insert(operands.end(), behind.begin(), behind.end());
  if (operands.size() > verb.operands.size()) {
    const std::string_view first = operands[verb.operands.size()];
    throw usage_error(fmt::format("'{}' is one argument too many", printable(first.substr(0, 80))), verb.usage());
  }
  if (!verb.takes_command) behind.clear();
  return {verb, std::move(operands), given, std::move(behind)};
}

}  // namespace topowise::cli
