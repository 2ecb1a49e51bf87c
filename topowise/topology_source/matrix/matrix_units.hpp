// SPDX-License-Identifier: BSD-3-Clause
// What the numbers of a matrix mean, by the words around them.
#pragma once

#include <string>
#include <string_view>

#include <topowise/topology_source/matrix/values.hpp>

namespace topowise {

struct MatrixUnit {
  Metric metric = Metric::distance;
  double factor = 1.0;  ///< converts to bytes per second or seconds
};

/// `words` are all comments and headers of the file. The numbers are distances unless the words speak of a rate or a
/// time.
[[nodiscard]] MatrixUnit find_unit(std::string_view words);

/// A square matrix of finite numbers (NaN on the diagonal allowed) as a pair matrix. `names` may be empty.
[[nodiscard]] PairValues make_pair_values(std::vector<double> values, std::size_t n, std::vector<std::string> names,
                                          const MatrixUnit& unit);

}  // namespace topowise
