// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/manual.hpp>

#include <fmt/format.h>

#include <topowise/cli/help.hpp>
#include <topowise/cli/topics.hpp>

namespace topowise::cli {
namespace {

/// A minus is a hyphen to troff unless it is escaped; a line must not begin with a dot or a quote.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (result.empty() && (c == '.' || c == '\'')) result += "\\&";
    if (c == '-' || c == '\\') result += '\\';
    result += c == '\\' ? 'e' : c;
  }
  return result;
}

std::string head(const std::string& name) {
  return fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n", name, version());
}

std::string entry(const std::string& term, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", escaped(term), escaped(text));
}

constexpr std::string_view kExitStatus =
    ".SH EXIT STATUS\n0 done, 1 a check failed, 2 usage, 3 bad input, 4 not available here, 70 a bug of topowise.\n";

}  // namespace

std::string manual_page(std::span<const Verb> verbs) {
  std::string text = head("TOPOWISE");
  text +=
      ".SH NAME\ntopowise \\- places the ranks of parallel jobs where their communication is cheapest\n"
      ".SH SYNOPSIS\n.B topowise\n.I VERB\n[arguments] [options]\n.SH VERBS\n";
  for (const Verb& verb : verbs) text += entry(fmt::format("topowise-{}(1)", verb.name), verb.summary);
  text += kExitStatus;
  text += ".SH ENVIRONMENT\n";
  for (const Variable& variable : variables()) text += entry(std::string(variable.name), variable.help);
  return text;
}

std::string manual_page(const Verb& verb) {
  std::string upper = fmt::format("TOPOWISE-{}", verb.name);
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  std::string text = head(upper);
  text += fmt::format(".SH NAME\ntopowise\\-{} \\- {}\n.SH SYNOPSIS\n.B {}\n", verb.name, escaped(verb.summary),
                      escaped(verb.usage()));
  if (!verb.description.empty()) text += fmt::format(".SH DESCRIPTION\n{}\n", escaped(verb.description));
  text += ".SH EXAMPLES\n.nf\n";
  for (const std::string_view example : verb.examples) text += escaped(example) + "\n";
  text += ".fi\n";
  if (!verb.operands.empty()) text += ".SH ARGUMENTS\n";
  for (const Operand& operand : verb.operands) text += entry(std::string(operand.name), operand.help);
  text += ".SH OPTIONS\n";
  for (const Option& option : verb.options) text += entry(option.usage(), option_help(option));
  for (const Verb& member : verb.members) {
    text += fmt::format(".SH {}\n{}\n", escaped(member.name), escaped(member.summary));
    for (const Option& option : member.options) text += entry(option.usage(), option_help(option));
  }
  text += kExitStatus;
  text += ".SH SEE ALSO\n.BR topowise (1)\n";
  return text;
}

}  // namespace topowise::cli
