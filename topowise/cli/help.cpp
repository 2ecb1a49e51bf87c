// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/help.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/text.hpp>

namespace topowise::cli {
namespace {

/// Rows "  left   right" with the right column wrapped and aligned.
std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows, std::size_t width) {
  std::size_t left = 0;
  for (const auto& row : rows) left = std::max(left, row.first.size());
  left = std::min<std::size_t>(left, 26);
  std::string text;
  for (const auto& [name, help] : rows) {
    text += fmt::format("  {:<{}}", name, left);
    text += name.size() > left ? "\n" + std::string(left + 4, ' ') : "  ";
    text += wrap(help, width - left - 4, left + 4) + "\n";
  }
  return text;
}

std::vector<std::string_view> groups(const Verb& verb) {
  std::vector<std::string_view> found;
  for (const Option& option : verb.options) {
    if (std::ranges::find(found, option.group) == found.end()) found.push_back(option.group);
  }
  return found;
}

}  // namespace

std::string version() {
  return "topowise " TOPOWISE_VERSION;
}

std::size_t text_width(std::size_t terminal) {
  constexpr std::size_t kLongest = 100;  // longer lines are hard to read
  return std::min(terminal, kLongest) - 1;
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (!result.empty()) {
      result += "\n" + std::string(indent, ' ');
      column = 0;
    }
    for (const std::string_view word : split_blanks(line)) {
      if (column > 0 && column + 1 + word.size() > width) {
        result += "\n" + std::string(indent, ' ');
        column = 0;
      }
      if (column > 0) result += ' ';
      column += word.size() + (column > 0 ? 1 : 0);
      result += word;
    }
  }
  return result;
}

std::string option_help(const Option& option) {
  std::string text(option.help);
  if (option.choices != nullptr) {
    const std::vector<std::string> choices = option.choices();
    text += fmt::format(": {}", fmt::join(choices, ", "));
  }
  if (!option.fallback.empty()) text += fmt::format(" [{}]", option.fallback);
  return text;
}

std::string overview(std::span<const Verb> verbs, std::size_t width) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Verb& verb : verbs) rows.emplace_back(verb.name, verb.summary);
  return wrap("topowise: places the ranks of parallel jobs where their communication is cheapest", text_width(width),
              0) +
         "\nusage: topowise VERB ...\n\n"
         "example:\n"
         "  mpirun -n 16 topowise run --profile app.traffic -- ./app   # record\n"
         "  topowise map app.traffic live --save app.mapping           # choose\n"
         "  mpirun -n 16 topowise run --mapping app.mapping -- ./app   # run with the mapping\n\n"
         "verbs\n" +
         two_columns(rows, text_width(width)) + "\n" +
         wrap("topowise VERB --help says more, topowise help lists the topics, topowise --version prints the version",
              text_width(width), 0) +
         "\n";
}

std::string verb_help(const Verb& verb, std::size_t width) {
  width = text_width(width);
  std::string text = wrap(fmt::format("topowise {}: {}", verb.words(), verb.summary), width, 2) + "\n\nexample:\n";
  for (const std::string_view example : verb.examples) text += fmt::format("  {}\n", example);
  text += fmt::format("\nusage: {}\n", verb.usage());
  if (!verb.description.empty()) text += "\n" + wrap(verb.description, width, 0) + "\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Operand& operand : verb.operands) rows.emplace_back(operand.name, operand.help);
  if (verb.takes_command) rows.emplace_back("COMMAND...", "the program and its arguments, behind '--'");
  if (!rows.empty()) text += "\narguments\n" + two_columns(rows, width);
  if (!verb.members.empty()) {
    rows.clear();
    for (const Verb& member : verb.members) rows.emplace_back(member.name, member.summary);
    text +=
        fmt::format("\neach with options of its own: topowise {} NAME --help\n", verb.name) + two_columns(rows, width);
  }
  for (const std::string_view group : groups(verb)) {
    rows.clear();
    for (const Option& option : verb.options) {
      if (option.group == group) rows.emplace_back(option.usage(), option_help(option));
    }
    text += fmt::format("\n{}\n", group) + two_columns(rows, width);
  }
  return text;
}

}  // namespace topowise::cli
