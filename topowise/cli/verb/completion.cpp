// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <topowise/base/text.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/completion.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/verb/verbs.hpp>

namespace topowise::cli {
namespace {

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const std::string shell = arguments.operand(0);
  const std::vector<std::string> known = shells();
  if (std::ranges::find(known, shell) == known.end())
    throw usage_error(unknown_name("shell", shell, known), arguments.verb().usage());
  terminal.print(completion_script(shell, verbs()));
  return ExitStatus::done;
}

}  // namespace

Verb completion_verb() {
  Verb verb{.name = "completion",
            .summary = "print the completion script of a shell",
            .description = {},
            .examples = {"source <(topowise completion bash)",
                         "topowise completion fish > ~/.config/fish/completions/topowise.fish"}};
  verb.operands = {{"SHELL", "bash, zsh or fish", true, Completes::choices, shells}};
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
