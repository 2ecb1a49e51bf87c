// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/cli/input/mapping_argument.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <topowise/base/file.hpp>
#include <topowise/base/text.hpp>
#include <topowise/graph/fingerprint.hpp>
#include <topowise/graph/json.hpp>

namespace topowise::cli {
namespace {

constexpr std::string_view kMade[] = {"identity", "cyclic", "random"};

/// Reads the file; the hint to one that is not there is the name that may be meant.
std::string read_mapping_file(const std::string& argument, std::string_view also) {
  try {
    return read_text(argument);
  } catch (const Error& error) {
    std::vector<std::string> names(std::begin(kMade), std::end(kMade));
    if (!also.empty()) names.emplace_back(also);
    const std::optional<std::string> guess = did_you_mean(argument, names);
    std::error_code failure;
    if (!guess || std::filesystem::exists(argument, failure)) throw;
    throw Error(error.status(), error.what(), fmt::format("did you mean '{}'?", *guess));
  }
}

std::vector<int> ranks_on_places(const Mapping& mapping, const Topology& topology) {
  std::vector<int> ranks_on(topology.place_count(), 0);
  for (const Place place : mapping.places()) ++ranks_on[place.index()];
  return ranks_on;
}

bool is_above_capacity(const Mapping& mapping, const Topology& topology) {
  const std::vector<int> ranks_on = ranks_on_places(mapping, topology);
  for (std::size_t p = 0; p < ranks_on.size(); ++p) {
    if (ranks_on[p] > topology.places()[p].capacity) return true;
  }
  return false;
}

}  // namespace

Option mapping_option() {
  return {.name = "--mapping",
          .value = "FILE",
          .group = "input",
          .help = "what 'map --save' wrote, or identity, cyclic, random",
          .fallback = "identity",
          .completes = Completes::files};
}

bool is_made_mapping(std::string_view argument) {
  return std::ranges::find(kMade, argument) != std::end(kMade);
}

int most_on_a_place(const Mapping& mapping, const Topology& topology) {
  return std::ranges::max(ranks_on_places(mapping, topology));
}

Mapping read_mapping(const std::string& argument, MapProblem& problem, const Terminal& terminal,
                     std::string_view also) {
  if (is_made_mapping(argument)) return map_ranks(problem, argument).mapping;
  const std::string name = input_name(argument);
  const MappingResult saved = mapping_from_json(name, read_mapping_file(argument, also));
  const Mapping& mapping = saved.mapping;
  if (mapping.ranks() < problem.traffic.ranks()) {
    throw bad_input(
        fmt::format("'{}' maps {} ranks, but the traffic has {}", name, mapping.ranks(), problem.traffic.ranks()));
  }
  const std::string quoted = "'" + name + "'";
  if (problem.ranks_per_place == 0) {
    mapping.check(problem.topology, std::numeric_limits<int>::max(), quoted);
    if (is_above_capacity(mapping, problem.topology))
      problem.ranks_per_place = most_on_a_place(mapping, problem.topology);
  } else {
    mapping.check(problem.topology, problem.ranks_per_place, quoted);
  }
  for (const std::string& sign : signs_of_another_question(name, saved, problem.topology, problem.traffic))
    terminal.warn(sign);
  if (!saved.weights.empty())
    terminal.warn(fmt::format("'{}' was chosen by weights ({}), not by bytes", name, printable(saved.weights)));
  return mapping;
}

}  // namespace topowise::cli
