// SPDX-License-Identifier: BSD-3-Clause
// A row of the table of mappers (registry.cpp). It says what the mapper is good for. Who runs mappers reads that, and
// compares no names.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <topowise/mapper/problem/map_problem.hpp>

namespace topowise {

/// How much of a question a mapper looks at.
enum class Considers : unsigned char {
  places,   ///< only where ranks may be
  traffic,  ///< and what they send
  loads,    ///< and how heavy they are
};

using MapFunction = MapperAnswer (*)(const MapProblem&, const Budget&);

/// What a row finds late in the course of `auto`, and how it searches on with the rest of the time, from the best
/// answer of all. `again` refers to the problem, and is empty if the row does not search on.
struct LateAnswer {
  MapperAnswer answer;
  std::function<MapperAnswer(const Budget&, MapperAnswer first)> again = {};
};

/// When `auto` compares an answer with its own before it searches, by the number of ranks: the lowest number first; 0:
/// never then.
struct Turn {
  int few = 0;
  int many = 0;
};

/// One algorithm for hop-bytes and max congestion. A new mapper is a header, its source and one row.
struct Mapper {
  std::string_view name;  ///< as on the command line
  std::string_view help;  ///< one line
  MapFunction run;
  Considers considers = Considers::traffic;
  bool tries_others = false;  ///< its course leads through the other rows
  bool constructs = false;    ///< builds its answer in one go: this is compared, and never searched on
  bool quick = false;         ///< has a good answer early, where others begin
  bool proves = false;        ///< keeps all constraints itself, and proves its answer where it ends in time
  bool follows_time = false;  ///< what it finds, and not only whether it gets there, depends on the time limit
  Turn turn;
  /// What `auto` runs when it has the answers of the quick row and of all turns.
  LateAnswer (*late)(const MapProblem&, const Budget&) = nullptr;
  bool (*suits)(const MapProblem&) = nullptr;  ///< false where others need not ask it; nothing: it suits every problem
};

using MapperRows = std::span<const Mapper>;

[[nodiscard]] inline bool is_worth_a_try(const Mapper& row, const MapProblem& problem) {
  return row.suits == nullptr || row.suits(problem);
}

/// The first row of which `is` is true.
[[nodiscard]] inline const Mapper& row_that(bool Mapper::*is, MapperRows rows) {
  return *std::ranges::find_if(rows, [is](const Mapper& row) { return row.*is; });
}

/// The rows that have a turn and suit the problem, the first turn first.
[[nodiscard]] inline std::vector<Mapper> in_turn(MapperRows rows, const MapProblem& problem) {
  constexpr std::size_t kFewRanks = 4096;
  const auto turn = [many = problem.traffic.ranks() > kFewRanks](const Mapper& row) {
    return many ? row.turn.many : row.turn.few;
  };
  std::vector<Mapper> found;
  std::ranges::copy_if(rows, std::back_inserter(found),
                       [&](const Mapper& row) { return turn(row) > 0 && is_worth_a_try(row, problem); });
  std::ranges::sort(found, {}, turn);
  return found;
}

}  // namespace topowise
