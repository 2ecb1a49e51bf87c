// SPDX-License-Identifier: BSD-3-Clause
// MatrixMarket exchange format (Boisvert, Pozo, Remington: "The Matrix Market Exchange Formats: Initial Design", 1996):
// a banner, comments, a line of sizes, entries. Coordinates count from 1; arrays are stored column by column.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <topowise/base/text_lines.hpp>

namespace topowise::matrix {

/// What a square matrix may be.
struct MarketLimits {
  std::string_view count_of;     ///< the name of its rows in messages: "ranks"
  std::size_t most = 0;          ///< the most rows
  bool pattern_allowed = false;  ///< entries may lack values; each is 1 then
};

struct MarketFacts {
  std::size_t rows = 0;
  std::size_t size_line = 0;  ///< number of the line of sizes, from 0
  std::string comments;       ///< the comments without their '%'; only a part of long ones
};

/// Takes an entry: its row and column from 0, and its value, finite and not negative.
using MarketEntry = std::function<void(std::size_t row, std::size_t column, double value)>;

/// True for the first line of such a file. Also true if its banner lacks a '%', which is an error to report.
[[nodiscard]] bool is_market(std::string_view head);

/// Reads coordinate or array; real, integer, double or pattern; general or symmetric. A symmetric matrix's entries are
/// passed on for both triangles. Throws Error(bad_input) with every error located, after some entries may have been
/// passed on.
MarketFacts read_market(const TextLines& lines, const MarketLimits& limits, const MarketEntry& entry);

/// The number of rows that the sizes announce. Throws as read_market() does.
[[nodiscard]] std::size_t market_rows(const TextLines& lines, const MarketLimits& limits);

}  // namespace topowise::matrix
