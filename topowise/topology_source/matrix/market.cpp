// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/market.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include <topowise/reading/located_text.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/topology_source/matrix/matrix_units.hpp>
#include <topowise/topology_source/matrix/numbers.hpp>

namespace topowise {

PairValues read_matrix_market(const TextLines& lines, std::string_view text) {
  const matrix::MarketLimits limits{.count_of = "places", .most = kMostPairPlaces};
  const std::size_t n = matrix::market_rows(lines, limits);
  const bool kept = matrix::can_hold(text.size(), n * (n - 1) / 2);  // no memory for a size that the file does not fill
  std::vector<double> values(kept ? n * n : 0, std::numeric_limits<double>::quiet_NaN());
  std::size_t count = 0;
  const auto take = [&](std::size_t row, std::size_t column, double value) {
    ++count;
    if (kept) values[row * n + column] = value;
  };
  const matrix::MarketFacts facts = matrix::read_market(lines, limits, take);
  if (count < n * (n - 1) || !kept)
    fail(lines.at(facts.size_line, {}, fmt::format("{} values do not state all pairs of {} places", count, n)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i / n != i % n && std::isnan(values[i]))
      fail({lines.where(), {}, fmt::format("no value for the pair ({}, {})", i / n + 1, i % n + 1), {}, {}});
  }
  return make_pair_values(std::move(values), n, {}, find_unit(facts.comments));
}

}  // namespace topowise
