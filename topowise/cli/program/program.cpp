// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/program/program.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/guarded.hpp>
#include <topowise/cli/help.hpp>
#include <topowise/cli/parse.hpp>

namespace topowise::cli {
namespace {

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
  const Verb& verb = verb_named(verbs, words.front());
  terminal.set_speaker("topowise " + std::string(verb.name));
  const std::span<const std::string> rest = words.subspan(1);
  if (std::any_of(rest.begin(), std::ranges::find(rest, std::string("--")), is_help)) {
    terminal.print(verb_help(verb, terminal.width()));
    return ExitStatus::done;
  }
  return verb.run(parse_arguments(verb, rest), terminal);
}

}  // namespace

ExitStatus run_program(std::span<const Verb> verbs, std::span<const std::string> words, Terminal& terminal) {
  return guarded(
      [&] {
        const ExitStatus status = run_verb(verbs, words, terminal);
        terminal.flush();
        return status;
      },
      terminal);
}

}  // namespace topowise::cli
