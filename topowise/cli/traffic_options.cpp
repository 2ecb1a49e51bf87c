// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/traffic_options.hpp>

namespace topowise::cli {
namespace {

std::vector<std::string> memory_names() {
  return {"all", "host", "device"};
}

}  // namespace

std::vector<Option> traffic_options(std::string_view group) {
  return {
      {"--collectives", "MODEL", group, "how recorded collectives become pairs: a model, or none", "openmpi"},
      {"--memory", "KIND", group, "which recorded buffers count", "all", memory_names, "memory", Completes::choices}};
}

TrafficOptions read_traffic_options(const Arguments& arguments) {
  TrafficOptions options;
  options.collectives = arguments.text("--collectives");
  options.memory = arguments.text("--memory");
  return options;
}

}  // namespace topowise::cli
