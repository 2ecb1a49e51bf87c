// SPDX-License-Identifier: BSD-3-Clause
// One array of NumPy, as numpy.save() writes it.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include <topowise/graph/traffic/traffic_builder.hpp>
#include <topowise/reading/matrix_reading.hpp>
#include <topowise/traffic_source/matrix/matrix_file.hpp>
#include <topowise/traffic_source/matrix/npy_array.hpp>

namespace topowise {

bool looks_like_npy(std::string_view head) {
  return head.starts_with("\x93NUMPY");
}

Traffic read_npy(const std::string& where, std::string_view text) {
  const npy::Array array(where, text);
  const auto fail = [&](std::string what) {
    throw Error(ExitStatus::bad_input, {Diagnostic{where, {}, std::move(what), {}, "numpy.save() writes this format"}});
  };
  if (!array.is_square() || array.is_text())
    fail(fmt::format("an array of shape {} is no traffic matrix: rows and columns must be equal", array.shape_text()));
  const std::size_t ranks = array.shape()[0];
  TrafficBuilder entries;
  for (std::size_t row = 0; row < ranks; ++row) {
    for (std::size_t column = 0; column < ranks; ++column) {
      const double bytes = array.at(row, column);
      if (!std::isfinite(bytes) || bytes < 0)
        fail(fmt::format("[{}, {}] is '{}', not a number of bytes", row, column, bytes));
      if (bytes > 0) entries.add(matrix::entry(row, column, bytes));
    }
  }
  return std::move(entries).finish(ranks);
}

}  // namespace topowise
