// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/topics.hpp>

#include <doctest/doctest.h>

#include <map>

#include <topowise/base/names.hpp>
#include <topowise/launch/launcher.hpp>
#include <topowise/report/class_words.hpp>
#include <topowise/topology_source/formats.hpp>
#include <topowise/topology_source/synthetic/preset.hpp>
#include <topowise/traffic_source/formats.hpp>
#include <topowise/traffic_source/pattern/pattern.hpp>

using namespace topowise;
using namespace topowise::cli;

namespace {

std::string shown(const Topic& topic) {
  Terminal terminal;
  topic.show(terminal);
  return terminal.result();
}

}  // namespace

TEST_CASE("every topic names all members of its family") {
  std::map<std::string_view, std::vector<std::string>> members{
      {"formats", names_of(topology_formats())}, {"patterns", names_of(pattern_help())},
      {"presets", names_of(presets())},          {"classes", {}},
      {"launchers", names_of(launchers())},      {"environment", names_of(variables())}};
  for (const TrafficFormatHelp& format : traffic_format_help()) members["formats"].emplace_back(format.name);
  for (const ClassWords& words : class_words()) members["classes"].emplace_back(words.name);
  CHECK(topics().size() == members.size());
  for (const Topic& topic : topics()) {
    CAPTURE(topic.name);
    REQUIRE(members.contains(topic.name));
    REQUIRE_FALSE(members[topic.name].empty());
    const std::string text = shown(topic);
    for (const std::string& name : members[topic.name]) {
      CAPTURE(name);
      CHECK(text.find(name) != std::string::npos);
    }
  }
}
