// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/verbs.hpp>

#include <algorithm>

#include <topowise/base/text.hpp>

namespace topowise::cli {
namespace {

std::vector<Verb> make_verbs() {
  std::vector<Verb> all{topology_verb(), traffic_verb(),  map_verb(),    evaluate_verb(),
                        predict_verb(),  schedule_verb(), report_verb(), run_verb(),
                        probe_verb(),    doctor_verb(),   help_verb(),   completion_verb()};
  for (Verb& verb : all) verb.options.push_back({"--help", "", kGeneral, "show this"});
  return all;
}

}  // namespace

std::span<const Verb> verbs() {
  static const std::vector<Verb> all = make_verbs();
  return all;
}

const Verb& verb_named(std::string_view name) {
  const std::span<const Verb> all = verbs();
  const auto found = std::ranges::find(all, name, &Verb::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Verb& verb : all) names.emplace_back(verb.name);
  throw usage_error(unknown_name("verb", name, names), "topowise --help");
}

}  // namespace topowise::cli
