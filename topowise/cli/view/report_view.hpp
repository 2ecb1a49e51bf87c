// SPDX-License-Identifier: BSD-3-Clause
// The page of `report`: a mapping beside the default, section by section.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <topowise/evaluate.hpp>
#include <topowise/mapper/mapper.hpp>
#include <topowise/report/page.hpp>

namespace topowise::cli {

/// A mapping beside the default.
struct Comparison {
  const MapProblem& problem;
  Mapping identity;
  Mapping mapping;
  std::string how;                     ///< how the mapping was found
  std::optional<MappingResult> bound;  ///< with lower bound and proof; nothing if no bound is known
  bool given = false;                  ///< the mapping did not come from a search
  Evaluation before = evaluate(problem.traffic, problem.topology, identity, problem.metric);
  Evaluation after = evaluate(problem.traffic, problem.topology, mapping, problem.metric);
};

/// Where the page comes from, so that it can be made again.
struct Origin {
  std::string traffic;  ///< the argument TRAFFIC
  std::string machine;  ///< the argument TOPOLOGY
  std::string command;  ///< what was typed
  std::string remake;   ///< the command that writes the mapping to app.mapping; empty if `mapping` is a file
  std::string mapping;  ///< the file of the mapping, for 'run --mapping'
  std::string date;
  std::vector<std::string> warnings;
};

[[nodiscard]] std::string report_page(const Comparison& comparison, const Origin& origin);

/// What the mapping is worth and how good it is, in one sentence; or why no mapping helps.
[[nodiscard]] std::string worth(const Comparison& comparison);
/// What the worth rests on, in sentences; empty if it rests on nothing that a source does not state.
[[nodiscard]] std::string worth_grounds(const Comparison& comparison);

/// True if the identity is as good, so that nobody needs the mapping.
[[nodiscard]] bool is_nothing_to_apply(const Comparison& comparison);

/// How the launchers put the mapping into effect: commands, and the texts that they read.
void add_launchers(const Comparison& comparison, const Origin& origin, Page& page);

/// The machine with its ranks, and its links with their load before and after.
void add_machine(const Comparison& comparison, Page& page);

}  // namespace topowise::cli
