// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/option.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>

namespace topowise::cli {

int Option::values() const {
  return implied.empty() ? static_cast<int>(split_blanks(value).size()) : 0;
}

std::string Option::usage() const {
  if (!implied.empty()) return fmt::format("{}[={}]", name, value);
  return fmt::format("{}{}{}", name, value.empty() ? "" : " ", value);
}

Option written_file(std::string_view name, std::string_view help) {
  return {.name = name, .value = "FILE", .group = "output", .help = help, .completes = Completes::files};
}

Option json_option() {
  return {.name = "--json", .value = "", .group = "output", .help = "print JSON"};
}

std::string Verb::words() const {
  return of.empty() ? std::string(name) : fmt::format("{} {}", of, name);
}

std::string Verb::usage() const {
  std::string text = "topowise " + words();
  for (const Operand& operand : operands)
    text += operand.required ? " " + std::string(operand.name) : " [" + std::string(operand.name) + "]";
  if (std::ranges::any_of(options, [](const Option& option) { return option.group != kGeneral; })) text += " [options]";
  if (takes_command) text += " -- COMMAND...";
  return text;
}

const Option* Verb::option(std::string_view option_name) const {
  const auto found = std::ranges::find(options, option_name, &Option::name);
  return found == options.end() ? nullptr : &*found;
}

const Verb& verb_named(std::span<const Verb> verbs, std::string_view name) {
  const auto found = std::ranges::find(verbs, name, &Verb::name);
  if (found != verbs.end()) return *found;
  const std::vector<std::string> names = names_of(verbs);
  throw usage_error(unknown_name("verb", name, names), "topowise --help");
}

const Verb& member_named(const Verb& verb, std::vector<std::string>& words) {
  for (auto word = words.begin(); word != words.end() && *word != "--"; ++word) {
    const auto member = std::ranges::find(verb.members, *word, &Verb::name);
    if (member == verb.members.end()) continue;
    words.erase(word);
    return *member;
  }
  return verb;
}

}  // namespace topowise::cli
