// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/program.hpp>

#include <algorithm>
#include <new>

#include <topowise/cli/help.hpp>
#include <topowise/cli/parse.hpp>

namespace topowise::cli {
namespace {

bool is_help(const std::string& word) {
  return word == "--help" || word == "-h";
}

ExitStatus run_verb(std::span<const std::string> words, Terminal& terminal) {
  if (words.empty()) throw usage_error("a verb is missing", "topowise --help");
  if (is_help(words.front())) {
    terminal.print(overview(terminal.width()));
    return ExitStatus::done;
  }
  if (words.front() == "--version") {
    terminal.print("{}\n", version());
    return ExitStatus::done;
  }
  const Verb& verb = verb_named(words.front());
  terminal.set_speaker("topowise " + std::string(verb.name));
  const std::span<const std::string> rest = words.subspan(1);
  if (std::any_of(rest.begin(), std::ranges::find(rest, std::string("--")), is_help)) {
    terminal.print(verb_help(verb, terminal.width()));
    return ExitStatus::done;
  }
  return verb.run(parse_arguments(verb, rest), terminal);
}

/// A failure that no code of ours foresaw.
ExitStatus report_bug(const std::string& what, const Terminal& terminal) {
  terminal.report(Error(ExitStatus::internal, what,
                        "this is a bug of topowise: please report it with the command line and the output of "
                        "'topowise --version'"));
  return ExitStatus::internal;
}

}  // namespace

ExitStatus guarded(const std::function<ExitStatus()>& work, const Terminal& terminal) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.status() == ExitStatus::internal) return report_bug(error.what(), terminal);
    terminal.report(error);
    return error.status();
  } catch (const std::bad_alloc&) {
    return report_bug("out of memory", terminal);
  } catch (const std::exception& failure) {
    return report_bug(failure.what(), terminal);
  } catch (...) {
    return report_bug("unknown exception", terminal);
  }
}

ExitStatus run_program(std::span<const std::string> words, Terminal& terminal) {
  return guarded(
      [&] {
        const ExitStatus status = run_verb(words, terminal);
        terminal.flush();
        return status;
      },
      terminal);
}

}  // namespace topowise::cli
