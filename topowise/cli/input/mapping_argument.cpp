// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/mapping_argument.hpp>

#include <fmt/format.h>

#include <topowise/base/file.hpp>
#include <topowise/graph/json.hpp>

namespace topowise::cli {

Option mapping_option() {
  return {.name = "--mapping",
          .value = "FILE",
          .group = "input",
          .help = "what 'map --save' wrote, or identity, cyclic, random",
          .fallback = "identity",
          .completes = Completes::files};
}

bool is_made_mapping(std::string_view argument) {
  return argument == "identity" || argument == "cyclic" || argument == "random";
}

Mapping read_mapping(const std::string& argument, const MapProblem& problem) {
  if (is_made_mapping(argument)) return map_ranks(problem, argument).mapping;
  Mapping mapping = mapping_from_json(argument == "-" ? "stdin" : argument, read_file(argument)).mapping;
  if (mapping.ranks() < problem.traffic.ranks()) {
    throw bad_input(
        fmt::format("'{}' maps {} ranks, but the traffic has {}", argument, mapping.ranks(), problem.traffic.ranks()));
  }
  mapping.check(problem.topology, problem.ranks_per_place);
  return mapping;
}

}  // namespace topowise::cli
