// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <topowise/base/names.hpp>
#include <topowise/base/text.hpp>
#include <topowise/cli/arguments.hpp>
#include <topowise/cli/help.hpp>
#include <topowise/cli/manual.hpp>
#include <topowise/cli/terminal.hpp>
#include <topowise/cli/topics.hpp>
#include <topowise/cli/verb/verbs.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> topic_and_verb_names() {
  return names_of(verbs(), names_of(topics()));
}

void list_topics(Terminal& terminal) {
  terminal.print("{}\ntopics\n", overview(verbs(), terminal.width()));
  for (const Topic& topic : topics()) terminal.print("  {:<12}  {}\n", topic.name, topic.summary);
}

ExitStatus run(const Arguments& arguments, Terminal& terminal) {
  const bool manual = arguments.has("--man");
  if (!arguments.has_operand(0)) {
    manual ? terminal.print(manual_page(verbs())) : list_topics(terminal);
    return ExitStatus::done;
  }
  const std::string name = arguments.operand(0);
  const auto verb = std::ranges::find(verbs(), name, &Verb::name);
  if (verb != verbs().end()) {
    terminal.print(manual ? manual_page(*verb) : verb_help(*verb, terminal.width()));
    return ExitStatus::done;
  }
  const auto topic = std::ranges::find(topics(), name, &Topic::name);
  if (topic == topics().end() || manual) {
    throw usage_error(unknown_name("topic", name, topic_and_verb_names()), "topowise help");
  }
  topic->show(terminal);
  return ExitStatus::done;
}

}  // namespace

Verb help_verb() {
  Verb verb{.name = "help",
            .summary = "explain a verb or a topic, or print a manual page",
            .description = {},
            .examples = {"topowise help formats", "topowise help map", "topowise help --man map | man -l -"}};
  verb.operands = {{"TOPIC", "a topic or a verb", false, Completes::choices, topic_and_verb_names}};
  verb.options = {{"--man", "", "output", "print the manual page of topowise or of a verb"}};
  verb.run = run;
  return verb;
}

}  // namespace topowise::cli
