// SPDX-License-Identifier: BSD-3-Clause
// What a benchmark found, in the form in which every benchmark hands it on: rows under named columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <topowise/report/curve_chart.hpp>

namespace topowise::benchmark {

/// What stands behind a number. A row has a column "kind" wherever more than one is possible.
enum class Kind : unsigned char {
  measured,   ///< by the clock of this machine
  simulated,  ///< by the clock, on hardware that is acted out
  predicted,  ///< by a model
  computed,   ///< follows from the input: hop-bytes
};
[[nodiscard]] std::string_view to_string(Kind kind);

/// std::monostate: not known, or not applicable.
using Cell = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

template <class Value>
[[nodiscard]] Cell cell_or_none(const std::optional<Value>& value) {
  return value ? Cell(*value) : Cell(std::monostate{});
}

struct ResultTable {
  std::string name;                                 ///< of the benchmark: "stencil2d"
  std::string title;                                ///< one line
  std::vector<std::pair<std::string, Cell>> facts;  ///< what holds for all rows: machine, ranks, library
  std::vector<std::string> columns;                 ///< with their unit: "time_s", "bytes"
  std::vector<std::vector<Cell>> rows;              ///< a cell a column
  std::vector<CurveChart> charts;                   ///< of the figure; without one there is none
  std::vector<std::string> notes;                   ///< what a reader should know
};

/// Comma-separated, with a heading; text that needs it in quotation marks (RFC 4180).
[[nodiscard]] std::string to_csv(const ResultTable& table);
/// Schema topowise.bench-NAME/1; `command` and `date` say how to come by it again.
[[nodiscard]] std::string to_json(const ResultTable& table, const std::string& command, const std::string& date);

}  // namespace topowise::benchmark
