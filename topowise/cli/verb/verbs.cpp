// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/verb/verbs.hpp>

#include <vector>

namespace topowise::cli {
namespace {

std::vector<Verb> make_verbs() {
  std::vector<Verb> all{topology_verb(), traffic_verb(), map_verb(),       evaluate_verb(), predict_verb(),
                        schedule_verb(), report_verb(),  run_verb(),       probe_verb(),    bench_verb(),
                        doctor_verb(),   help_verb(),    completion_verb()};
  for (Verb& verb : all) {
    verb.options.push_back({"--help", "", kGeneral, "show this"});
    for (Verb& member : verb.members) member.options.push_back(verb.options.back());
  }
  return all;
}

}  // namespace

std::span<const Verb> verbs() {
  static const std::vector<Verb> all = make_verbs();
  return all;
}

}  // namespace topowise::cli
