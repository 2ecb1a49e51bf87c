// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/program/program.hpp>

#include <unistd.h>

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/guarded.hpp>
#include <topowise/cli/help.hpp>
#include <topowise/job/abort_job.hpp>

namespace topowise::cli {
namespace {

// Follows the conventions of GNU: --name VALUE, --name=VALUE, the last one of several counts, "--" ends the options. A
// value may begin with a dash: an option that wants one takes the next word whatever it is. Names are not abbreviated,
// so that a script does not break when an option is added.

using Words = std::span<const std::string>;

std::string help_hint(const Verb& verb) {
  return fmt::format("topowise {} --help", verb.words());
}

/// False for a number, even one below 0, and for "-", which is the standard input.
bool looks_like_option(const std::string& word) {
  return word.size() >= 2 && word.front() == '-' && !parse_double(word);
}

const Option& option_named(const Verb& verb, const std::string& name) {
  if (const Option* option = verb.option(name)) return *option;
  const std::vector<std::string> names = names_of(verb.options);
  throw usage_error(unknown_name("option", name, names), help_hint(verb));
}

/// The values of the option at the beginning of `words`: the value after its '=', and as many further words as the
/// option wants. Removes the option and its values from `words`.
std::vector<std::string> take_values(const Verb& verb, const Option& option, Words& words) {
  const std::string& word = words.front();
  const std::size_t equals = word.find('=');
  words = words.subspan(1);
  if (!option.implied.empty())
    return {equals == std::string::npos ? std::string(option.implied) : word.substr(equals + 1)};
  std::vector<std::string> values;
  if (equals != std::string::npos) values.push_back(word.substr(equals + 1));
  const auto wanted = static_cast<std::size_t>(option.values());
  if (values.size() > wanted)
    throw usage_error(fmt::format("{}: this option takes no value", option.name), help_hint(verb));
  const std::size_t more = wanted - values.size();
  if (more > words.size())
    throw usage_error(fmt::format("{}: {} is missing", option.name, option.value), help_hint(verb));
  values.insert(values.end(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(more));
  words = words.subspan(more);
  return values;
}

/// The hint for an operand too many, which may be meant as the value of the option in front of it.
std::string value_hint(const Verb& verb, const std::string& operand, Words words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Option* option = words[i] == operand ? verb.option(words[i - 1]) : nullptr;
    if (option != nullptr && !option->implied.empty())
      return fmt::format("{} takes its value behind '=': {}={}", option->name, option->name,
                         printable(operand.substr(0, 80)));
  }
  return verb.usage();
}

/// `word` is where the command seems to begin in a line without "--".
[[noreturn]] void refuse_missing_dashes(const Verb& verb, Words words, std::size_t word) {
  constexpr std::size_t kLong = 120;
  std::string hint = value_hint(verb, words[word], words);
  if (hint == verb.usage()) {
    hint = fmt::format("topowise {}", verb.name);
    for (std::size_t i = 0; i < words.size(); ++i) hint += (i == word ? " -- " : " ") + printable(words[i]);
    if (hint.size() > kLong) hint = hint.substr(0, kLong) + "...";
  }
  throw usage_error(fmt::format("'--' is missing in front of '{}'", printable(words[word].substr(0, 80))), hint);
}

void refuse_too_many(const Verb& verb, Words operands, Words words) {
  if (operands.size() <= verb.operands.size()) return;
  const std::string& operand = operands[verb.operands.size()];
  const std::string first = printable(operand.substr(0, 80));
  throw usage_error(verb.takes_command ? fmt::format("'{}' is in front of '--'", first)
                                       : fmt::format("'{}' is one argument too many", first),
                    value_hint(verb, operand, words));
}

/// How many inputs a value takes from standard input: it is "-", or parts of it are, as in "-+p2p.txt" and
/// "cluster:-,node.xml,hosts=@-".
std::size_t standard_inputs(const std::string& value, Completes what) {
  if (what != Completes::topologies) return value == "-" ? 1 : 0;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find_first_of("+,:=@", begin), value.size());
    if (value.compare(begin, end - begin, "-") == 0) ++count;
    begin = end + 1;
  }
  return count;
}

void refuse_second_standard_input(const Verb& verb, Words operands,
                                  const std::map<std::string, std::vector<std::string>>& options) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) count += standard_inputs(operands[i], verb.operands[i].completes);
  for (const auto& [name, values] : options) {
    const Option& option = option_named(verb, name);
    if (option.group != "output" && !values.empty()) count += standard_inputs(values.back(), option.completes);
  }
  if (count > 1) throw usage_error("only one input can be the standard input");
}

bool is_help(const std::string& word) {
  return word == "--help" || word == "-h";
}

bool is_version(const std::string& word) {
  return word == "--version" || word == "-V" || word == "version";
}

ExitStatus run_verb(std::span<const Verb> verbs, std::span<const std::string> words, Terminal& terminal) {
  if (words.empty()) throw usage_error("a verb is missing", "topowise --help");
  if (is_help(words.front())) {
    terminal.print(overview(verbs, terminal.width()));
    return ExitStatus::done;
  }
  if (is_version(words.front())) {
    if (words.size() > 1)
      throw usage_error(fmt::format("'{}' takes nothing, but '{}' is given", words.front(), printable(words[1])),
                        "topowise --version");
    terminal.print("{}\n", version());
    return ExitStatus::done;
  }
  const Verb& first = verb_named(verbs, words.front());
  terminal.set_speaker("topowise " + std::string(first.name));
  std::vector<std::string> rest(words.begin() + 1, words.end());
  const Verb& verb = member_named(first, rest);
  if (std::any_of(rest.begin(), std::ranges::find(rest, std::string("--")), is_help)) {
    terminal.print(verb_help(verb, terminal.width()));
    return ExitStatus::done;
  }
  return verb.run(parse_arguments(verb, rest), terminal);
}

/// Whether the words name a verb that is between the launcher and a program.
bool starts_command(std::span<const Verb> verbs, std::span<const std::string> words) {
  const auto is_named = [&](const Verb& verb) { return !words.empty() && verb.name == words.front(); };
  const auto verb = std::ranges::find_if(verbs, is_named);
  return verb != verbs.end() && verb->takes_command;
}

/// Some launchers leave the other ranks alive, and each of them would report the same error. A shell on a terminal may
/// have the variables of a Slurm step, and is not to be ended with it.
void end_job(const job::Process& process, bool starts_command, ExitStatus status) {
  if (process.launcher.empty() || process.size == 1) return;
  if (job::is_child_of_hydra() || (starts_command && ::isatty(STDERR_FILENO) == 0)) job::abort_job(status);
}

}  // namespace

Arguments parse_arguments(const Verb& verb, Words words) {
  const auto dashes = static_cast<std::size_t>(std::ranges::find(words, std::string("--")) - words.begin());
  Words before = words.first(dashes);
  const Words behind = words.subspan(std::min(dashes + 1, words.size()));
  std::vector<std::string> operands;
  std::map<std::string, std::vector<std::string>> options;
  while (!before.empty()) {
    const std::string& word = before.front();
    if (looks_like_option(word)) {
      const Option& option = option_named(verb, word.substr(0, word.find('=')));
      options[std::string(option.name)] = take_values(verb, option, before);
    } else {
      if (verb.takes_command && dashes == words.size()) refuse_missing_dashes(verb, words, dashes - before.size());
      operands.push_back(word);
      before = before.subspan(1);
    }
  }
  if (verb.takes_command) {
    refuse_too_many(verb, operands, words.first(dashes));
    refuse_second_standard_input(verb, operands, options);
    return {verb, std::move(operands), options, {behind.begin(), behind.end()}};
  }
  operands.insert(operands.end(), behind.begin(), behind.end());
  refuse_too_many(verb, operands, words);
  refuse_second_standard_input(verb, operands, options);
  return {verb, std::move(operands), options, {}};
}

ExitStatus run_program(std::span<const Verb> verbs, std::span<const std::string> words, Terminal& terminal) {
  bool failed = false;
  const ExitStatus status = guarded(
      [&] {
        const ExitStatus done = run_verb(verbs, words, terminal);
        terminal.flush();
        return done;
      },
      terminal,
      [&] {
        failed = true;
        job::wait_for_turn(job::this_process());
      });
  if (failed) end_job(job::this_process(), starts_command(verbs, words), status);
  return status;
}

}  // namespace topowise::cli
