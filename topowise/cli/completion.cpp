// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/completion.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/names.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>
#include <topowise/traffic_source/pattern/pattern.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> topology_words() {
  std::vector<std::string> words{"live", "live:node", "live:fabric", "tree:"};
  for (const Preset& preset : all_presets()) words.push_back("preset:" + std::string(preset.name));
  return words;
}

std::vector<std::string> traffic_words() {
  std::vector<std::string> words;
  for (const PatternHelp& pattern : pattern_help()) words.push_back("pattern:" + std::string(pattern.name) + ":");
  return words;
}

/// Words offered for an operand; files are offered beside them unless the words are choices.
std::vector<std::string> words_for(const Operand& operand) {
  switch (operand.completes) {
    case Completes::choices:
      return operand.choices();
    case Completes::topologies:
      return topology_words();
    case Completes::traffics:
      return traffic_words();
    default:
      return {};
  }
}

std::string option_names(const Verb& verb) {
  return fmt::format("{}", fmt::join(names_of(verb.options), " "));
}

std::string verb_names(std::span<const Verb> verbs) {
  return fmt::format("{}", fmt::join(names_of(verbs), " "));
}

bool takes_files(const Verb& verb) {
  return std::ranges::any_of(verb.operands, [](const Operand& operand) {
    return operand.completes != Completes::choices && operand.completes != Completes::nothing;
  });
}

/// The words of all operands of a verb. To find out at which operand the cursor is would not be worth the effort.
std::string operand_words(const Verb& verb) {
  std::vector<std::string> words;
  for (const Operand& operand : verb.operands) {
    for (std::string& word : words_for(operand)) words.push_back(std::move(word));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

/// The verbs and their members.
std::vector<Verb> with_members(std::span<const Verb> verbs) {
  std::vector<Verb> all;
  for (const Verb& verb : verbs) {
    all.push_back(verb);
    all.insert(all.end(), verb.members.begin(), verb.members.end());
  }
  return all;
}

/// What a shell function calls a verb or a member: "map", "bench/stencil2d".
std::string key_of(const Verb& verb) {
  return verb.of.empty() ? std::string(verb.name) : fmt::format("{}/{}", verb.of, verb.name);
}

std::string bash_values(const Verb& verb) {
  std::string text;
  for (const Option& option : verb.options) {
    if (option.value.empty()) continue;
    // "map:--seed" stands for a value in a word of its own, "map:--seed=" for one in the same word.
    const std::string same_word = fmt::format("{}:{}=", key_of(verb), option.name);
    const std::string place =
        option.values() == 0 ? same_word : fmt::format("{}:{}|{}", key_of(verb), option.name, same_word);
    if (option.choices != nullptr)
      text += fmt::format("      {}) words='{}' ;;\n", place, fmt::join(option.choices(), " "));
    else if (option.completes == Completes::nothing)
      text += fmt::format("      {}) return ;;\n", place);
    else
      text += fmt::format("      {}) compopt -o default; return ;;\n", place);
  }
  return text;
}

std::string bash_script(std::span<const Verb> verbs) {
  std::string text =
      "# bash completion of topowise: source <(topowise completion bash)\n"
      "_topowise() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} words=\n"
      "  # ':' and '=' cut words in bash: put preset:NAME, pattern:NAME and --option=VALUE together again\n"
      "  local line=${COMP_LINE:0:COMP_POINT}; local whole=${line##* }\n"
      "  if [[ $whole == --*=* ]]; then previous=${whole%%=*}=; whole=${whole#*=}; fi\n";
  text += fmt::format("  if [ \"$COMP_CWORD\" -eq 1 ]; then words='{} --help --version'; else\n", verb_names(verbs));
  for (const Verb& verb : verbs) {
    if (verb.takes_command)  // behind "--" is the command of another program
      text += fmt::format(
          "    if [ \"$verb\" = {} ] && [[ \" ${{COMP_WORDS[*]:2:COMP_CWORD-2}} \" == *' -- '* ]]; then\n"
          "      COMPREPLY=(); [ \"$previous\" = -- ] && COMPREPLY=($(compgen -c -- \"$current\")); compopt -o "
          "default; return\n"
          "    fi\n",
          verb.name);
  }
  for (const Verb& verb : verbs) {
    if (!verb.members.empty())
      text += fmt::format("    [ \"$verb\" = {} ] && [ \"$COMP_CWORD\" -gt 2 ] && verb={}/${{COMP_WORDS[2]}}\n",
                          verb.name, verb.name);
  }
  const std::vector<Verb> all = with_members(verbs);
  text +=  // behind "--" nothing is an option
      "    if [[ \" ${COMP_WORDS[*]:2:COMP_CWORD-2} \" == *' -- '* ]]; then verb=$verb:; fi\n"
      "    case $verb:$previous in\n";
  for (const Verb& verb : all) text += bash_values(verb);
  text += "      *) case $verb in\n";
  for (const Verb& verb : all) {
    const std::string_view files = takes_files(verb) ? "; [ \"${whole#-}\" = \"$whole\" ] && compopt -o default" : "";
    const std::string key = key_of(verb);
    text += fmt::format("        {}) words='{} {}'{} ;;\n", key, option_names(verb), operand_words(verb), files);
    text += fmt::format("        {}:) words='{}'{} ;;\n", key, operand_words(verb), files);
  }
  text +=
      "      esac ;;\n"
      "    esac\n"
      "  fi\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$whole\"))\n"
      "  # what is before the last ':' is on the line already\n"
      "  [[ $whole != *:* || $COMP_WORDBREAKS != *:* ]] || "
      "COMPREPLY=(\"${COMPREPLY[@]#\"${whole%\"${whole##*:}\"}\"}\")\n"
      "}\n"
      "complete -F _topowise topowise\n";
  return text;
}

/// Puts the text between single quotes of a shell.
std::string single_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Escapes colons and brackets, which have a meaning in zsh's descriptions.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_value(const Option& option) {
  if (option.values() == 0) return {};
  std::string action;
  if (option.choices != nullptr) action = fmt::format("({})", fmt::join(option.choices(), " "));
  if (option.completes == Completes::files) action = "_files";
  if (option.completes == Completes::directories) action = "_files -/";
  std::string text;
  for (int i = 0; i < option.values(); ++i) text += fmt::format(":{}:{}", zsh_text(option.value), action);
  return text;
}

std::string zsh_script(std::span<const Verb> verbs) {
  std::string text =
      "#compdef topowise\n# zsh completion of topowise: topowise completion zsh > a folder of "
      "$fpath/_topowise\n_topowise() {\n  local -a verbs\n  verbs=(\n";
  for (const Verb& verb : verbs)
    text += fmt::format("    {}\n", single_quoted(fmt::format("{}:{}", verb.name, zsh_text(verb.summary))));
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n"
      "  local verb=$words[2]; shift words; (( CURRENT-- ))\n"
      "  local dashes=${words[(i)--]}\n"
      "  case $verb in\n";
  for (const Verb& verb : verbs) {
    if (verb.takes_command)  // behind "--" is the command of another program
      text += fmt::format(
          "    {}) if (( dashes < CURRENT )); then shift dashes words; (( CURRENT -= dashes )); _normal; "
          "return; fi ;|\n",
          verb.name);
  }
  for (const Verb& verb : verbs) {
    if (!verb.members.empty())
      text += fmt::format(
          "    {}) if (( CURRENT > 2 )); then verb=$verb/$words[2]; shift words; (( CURRENT-- )); fi ;|\n", verb.name);
  }
  for (const Verb& verb : with_members(verbs)) {
    text += fmt::format("    {}) _arguments -S", key_of(verb));  // behind "--" nothing is an option
    for (const Option& option : verb.options)
      text += " " + single_quoted(fmt::format("{}[{}]{}", option.name, zsh_text(option.help), zsh_value(option)));
    for (const Operand& operand : verb.operands) {
      const std::vector<std::string> words = words_for(operand);
      std::string list;
      for (const std::string& word : words) list += (list.empty() ? "" : " ") + zsh_text(word);
      const std::string choices = fmt::format("compadd -- {}", fmt::join(words, " "));
      const std::string action = words.empty()                             ? "_files"
                                 : operand.completes == Completes::choices ? "{" + choices + "}"
                                                                           : "{_files; " + choices + "}";
      text += " " + single_quoted(fmt::format(":{}:{}", operand.name, action));
    }
    text += " ;;\n";
  }
  return text + "  esac\n}\n_topowise \"$@\"\n";
}

std::string fish_script(std::span<const Verb> verbs) {
  std::string text =
      "# fish completion of topowise: topowise completion fish > ~/.config/fish/completions/topowise.fish\n";
  for (const Verb& verb : with_members(verbs)) {
    if (verb.of.empty())
      text += fmt::format("complete -c topowise -n __fish_use_subcommand -f -a {} -d {}\n", verb.name,
                          single_quoted(verb.summary));
    const std::string seen = (verb.of.empty() ? "" : fmt::format("__fish_seen_subcommand_from {}; and ", verb.of)) +
                             fmt::format("__fish_seen_subcommand_from {}", verb.name);
    const std::string behind = "contains -- -- (commandline -opc)";
    const std::string condition = single_quoted(fmt::format("{}; and not {}", seen, behind));
    if (verb.takes_command)
      text += fmt::format("complete -c topowise -n {} -a '(__fish_complete_subcommand --fcs-skip=3)'\n",
                          single_quoted(fmt::format("{}; and {}", seen, behind)));
    for (const Option& option : verb.options) {
      text += fmt::format("complete -c topowise -n {} -l {} -d {}", condition, option.name.substr(2),
                          single_quoted(option.help));
      if (option.choices != nullptr)
        text += fmt::format(" -x -a {}", single_quoted(fmt::format("{}", fmt::join(option.choices(), " "))));
      else if (option.values() > 0)
        text += option.completes == Completes::nothing ? " -x" : " -r";
      text += '\n';
    }
    const std::string words = operand_words(verb);
    if (!words.empty())
      text += fmt::format("complete -c topowise -n {} -a {}\n", verb.takes_command ? condition : single_quoted(seen),
                          single_quoted(words));
  }
  return text;
}

}  // namespace

std::vector<std::string> shells() {
  return {"bash", "zsh", "fish"};
}

std::string completion_script(std::string_view shell, std::span<const Verb> verbs) {
  if (shell == "bash") return bash_script(verbs);
  return shell == "zsh" ? zsh_script(verbs) : fish_script(verbs);
}

}  // namespace topowise::cli
