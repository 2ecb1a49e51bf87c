// SPDX-License-Identifier: BSD-3-Clause
// What a benchmark found, in the form that all benchmarks share: rows under named columns.
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

/// Where a number comes from. A table has a column "kind" where more than one of these is possible.
enum class Kind : unsigned char {
  measured,   ///< by the clock of this machine
  simulated,  ///< by the clock, on hardware that is simulated
  predicted,  ///< by a model
  computed,   ///< follows from the input: hop-bytes
};
[[nodiscard]] std::string_view to_string(Kind kind);

/// std::monostate means that the value is not known, or not applicable.
using Cell = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

template <class Value>
[[nodiscard]] Cell cell_or_none(const std::optional<Value>& value) {
  return value ? Cell(*value) : Cell(std::monostate{});
}

struct ResultTable {
  std::string name;                                 ///< name of the benchmark: "stencil2d"
  std::string title;                                ///< one line
  std::vector<std::pair<std::string, Cell>> facts;  ///< what holds for all rows: machine, ranks, library
  std::vector<std::string> columns;                 ///< with their unit: "time_s", "bytes"
  std::vector<std::vector<Cell>> rows;              ///< one cell for each column
  std::vector<CurveChart> charts;                   ///< charts of the figure; without a chart there is no figure
  std::vector<std::string> notes;                   ///< what a reader should know
};

/// Comma-separated values with a heading; a text that needs quotation marks has them (RFC 4180).
[[nodiscard]] std::string to_csv(const ResultTable& table);
/// JSON of the schema topowise.bench-NAME/1; `command` and `date` say how to make the table again.
[[nodiscard]] std::string to_json(const ResultTable& table, const std::string& command, const std::string& date);

}  // namespace topowise::benchmark
