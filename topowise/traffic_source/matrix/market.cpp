// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include <topowise/base/text_lines.hpp>
#include <topowise/graph/traffic/traffic_builder.hpp>
#include <topowise/reading/market.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>

namespace topowise {

bool looks_like_matrix_market(std::string_view head) {
  return matrix::is_market(head);
}

Traffic read_matrix_market(const std::string& where, std::string_view text) {
  const TextLines lines(where, text);
  TrafficBuilder entries;
  const auto take = [&](std::size_t row, std::size_t column, double bytes) {
    if (bytes > 0) entries.add(matrix::entry(row, column, bytes));
  };
  const matrix::MarketLimits limits{.count_of = "ranks", .most = matrix::kMostRanks, .pattern_allowed = true};
  const std::size_t ranks = matrix::read_market(lines, limits, take).rows;
  return std::move(entries).finish(ranks);
}

}  // namespace topowise
