// SPDX-License-Identifier: BSD-3-Clause
// The linear assignment problem: one column for every row at the least total.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace topowise {

/// Successive shortest paths with prices (Jonker and Volgenant 1987). Keeps its memory between calls.
class Assignment {
 public:
  /// `matrix` is rows x columns, row-major, rows <= columns, finite. Returns the least total and subtracts the optimal
  /// prices in place: afterwards every entry is at least 0 (up to rounding) and the entries of an optimal assignment
  /// are 0. The total plus the reduced entries of any assignment never exceeds that assignment's original total; the
  /// two are equal if rows == columns.
  ///
  /// If the total reaches `enough`, the call may end early: it returns some number from `enough` up to the least total,
  /// and the matrix is as it was.
  double reduce(double* matrix, std::size_t rows, std::size_t columns,
                double enough = std::numeric_limits<double>::infinity());

  /// The assignment that the last call found, if that call did not end early.
  [[nodiscard]] std::span<const std::int32_t> column_of_row() const { return column_of_row_; }

 private:
  void start(const double* matrix);
  void bid_for_columns(const double* matrix);
  double augment(const double* matrix, std::size_t row);
  [[nodiscard]] double total_of_prices() const;

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<double> row_price_;
  std::vector<double> column_price_;
  std::vector<std::int32_t> column_of_row_;
  std::vector<std::int32_t> row_of_column_;
  std::vector<double> distance_;  ///< of a column from the row that looks for one
  std::vector<std::int32_t> previous_;
  std::vector<std::int32_t> order_;  ///< columns: finished ones first
};

}  // namespace topowise
