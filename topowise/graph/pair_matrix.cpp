// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/graph/pair_matrix.hpp>

namespace topowise {

PairMatrix select_places(const PairMatrix& matrix, std::size_t size, std::span<const std::size_t> places) {
  const auto select = [&](const std::vector<double>& from) {
    std::vector<double> values;
    if (from.empty()) return values;
    values.reserve(places.size() * places.size());
    for (const std::size_t a : places) {
      for (const std::size_t b : places) values.push_back(from[a * size + b]);
    }
    return values;
  };
  const PairStatistics& known = matrix.statistics;
  return {select(matrix.values),
          matrix.source,
          select(matrix.affinity),
          {select(known.mean), select(known.spread), select(known.count), known.date}};
}

}  // namespace topowise
