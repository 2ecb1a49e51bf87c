// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/traffic_options.hpp>

#include <topowise/traffic_source/source.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> memory_names() {
  return {"all", "host", "device", "host-host", "device-device", "mixed"};
}

}  // namespace

std::vector<Option> traffic_options(std::string_view group) {
  return {{"--collectives", "MODEL", group, "how recorded collectives become pairs: a model, or none", "openmpi"},
          {"--memory", "KIND", group, "which recorded buffers count, by one end or both", "all", memory_names, "memory",
           Completes::choices}};
}

Traffic traffic_of(const Arguments& arguments, const std::string& argument, const Terminal& terminal,
                   const std::string& format) {
  const TrafficReading reading = read_traffic_with_warnings(
      argument,
      {.format = format, .collectives = arguments.text("--collectives"), .memory = arguments.text("--memory")});
  for (const Diagnostic& warning : reading.warnings) terminal.warn(warning);
  return reading.traffic;
}

}  // namespace topowise::cli
