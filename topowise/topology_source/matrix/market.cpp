// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/reading/market.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include <topowise/reading/located_text.hpp>
#include <topowise/topology_source/matrix/numbers.hpp>
#include <topowise/topology_source/matrix/units.hpp>

namespace topowise {

PairValues read_matrix_market(const TextLines& lines) {
  struct Entry {
    std::size_t row;
    std::size_t column;
    double value;
  };
  std::vector<Entry> entries;
  const auto take = [&](std::size_t row, std::size_t column, double value) { entries.push_back({row, column, value}); };
  const matrix::MarketFacts facts = matrix::read_market(lines, {.count_of = "places", .most = kMostPairPlaces}, take);
  const std::size_t n = facts.rows;
  if (entries.size() < n * (n - 1))  // before memory is spent on a size that the file does not fill
    fail(
        lines.at(facts.size_line, {}, fmt::format("{} values do not state all pairs of {} places", entries.size(), n)));
  std::vector<double> values(n * n, std::numeric_limits<double>::quiet_NaN());
  for (const Entry& entry : entries) values[entry.row * n + entry.column] = entry.value;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i / n != i % n && std::isnan(values[i]))
      fail({lines.where(), {}, fmt::format("no value for the pair ({}, {})", i / n + 1, i % n + 1), {}, {}});
  }
  return make_pair_values(std::move(values), n, {}, find_unit(facts.comments));
}

}  // namespace topowise
