// SPDX-License-Identifier: BSD-3-Clause
// MatrixMarket exchange format (Boisvert, Pozo, Remington: "The Matrix Market Exchange Formats: Initial Design", 1996):
// a banner, comments, a line of sizes, entries. Coordinates count from 1, arrays go down the columns.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <topowise/base/text_lines.hpp>

namespace topowise::matrix {

/// What a square matrix may be.
struct MarketLimits {
  std::string_view count_of;     ///< what its rows are, for messages: "ranks"
  std::size_t most = 0;          ///< rows
  bool pattern_allowed = false;  ///< entries without values, 1 each
};

struct MarketFacts {
  std::size_t rows = 0;
  std::size_t size_line = 0;  ///< from 0
  std::string comments;       ///< without their '%'; those of a long text only in part
};

/// Takes an entry: its row and column from 0, and its value, finite and not negative.
using MarketEntry = std::function<void(std::size_t row, std::size_t column, double value)>;

/// True for the first line of such a file, also if its banner lacks a '%', which is an error to tell of.
[[nodiscard]] bool is_market(std::string_view head);

/// Coordinate or array; real, integer, double or pattern; general or symmetric, whose entries are passed on for both
/// triangles. Throws Error(bad_input) with every error located, after some entries may have been passed on.
MarketFacts read_market(const TextLines& lines, const MarketLimits& limits, const MarketEntry& entry);

/// The number of rows that the sizes announce. Throws as read_market() does.
[[nodiscard]] std::size_t market_rows(const TextLines& lines, const MarketLimits& limits);

}  // namespace topowise::matrix
