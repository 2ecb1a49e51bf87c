// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/program/program.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/guarded.hpp>
#include <topowise/cli/help.hpp>
#include <topowise/cli/parse.hpp>
#include <topowise/job/abort_job.hpp>

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

/// Whether the words name a verb that stands between the launcher and a program.
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
