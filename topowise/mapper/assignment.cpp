// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/assignment.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace topowise {

double Assignment::reduce(double* matrix, std::size_t rows, std::size_t columns) {
  rows_ = rows;
  columns_ = columns;
  start(matrix);
  for (std::size_t row = 0; row < rows; ++row) {
    if (column_of_row_[row] < 0) augment(matrix, row);
  }
  double total = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    double* entries = matrix + i * columns;
    for (std::size_t j = 0; j < columns; ++j) entries[j] -= row_price_[i] + column_price_[j];
    total += row_price_[i];
  }
  for (std::size_t j = 0; j < columns; ++j) total += column_price_[j];
  return total;
}

/// Prices from the smallest entries, and the assignments that they allow at once.
void Assignment::start(const double* matrix) {
  row_price_.assign(rows_, 0.0);
  column_price_.assign(columns_, 0.0);
  column_of_row_.assign(rows_, -1);
  row_of_column_.assign(columns_, -1);
  // A column that stays free must have price 0, so only a square matrix may price its columns up.
  if (rows_ == columns_) {
    std::copy(matrix, matrix + columns_, column_price_.begin());
    for (std::size_t i = 1; i < rows_; ++i) {
      const double* entries = matrix + i * columns_;
      for (std::size_t j = 0; j < columns_; ++j) column_price_[j] = std::min(column_price_[j], entries[j]);
    }
  }
  for (std::size_t i = 0; i < rows_; ++i) {
    const double* entries = matrix + i * columns_;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < columns_; ++j) least = std::min(least, entries[j] - column_price_[j]);
    row_price_[i] = least;
    for (std::size_t j = 0; j < columns_; ++j) {
      if (row_of_column_[j] < 0 && entries[j] - column_price_[j] == least) {
        row_of_column_[j] = static_cast<std::int32_t>(i);
        column_of_row_[i] = static_cast<std::int32_t>(j);
        break;
      }
    }
  }
}

/// Dijkstra over reduced entries from a free row to the nearest free column; then prices and assignment follow.
void Assignment::augment(const double* matrix, std::size_t row) {
  distance_.resize(columns_);
  previous_.assign(columns_, static_cast<std::int32_t>(row));
  order_.resize(columns_);
  const double* entries = matrix + row * columns_;
  for (std::size_t j = 0; j < columns_; ++j) {
    distance_[j] = entries[j] - row_price_[row] - column_price_[j];
    order_[j] = static_cast<std::int32_t>(j);
  }
  std::size_t done = 0;
  std::size_t last = 0;
  for (;; ++done) {
    std::size_t nearest = done;
    for (std::size_t k = done + 1; k < columns_; ++k) {
      if (distance_[order_[k]] < distance_[order_[nearest]]) nearest = k;
    }
    std::swap(order_[done], order_[nearest]);
    last = static_cast<std::size_t>(order_[done]);
    const std::int32_t through = row_of_column_[last];
    if (through < 0) break;
    const double* next = matrix + static_cast<std::size_t>(through) * columns_;
    const double base = distance_[last] - row_price_[through];
    for (std::size_t k = done + 1; k < columns_; ++k) {
      const std::int32_t j = order_[k];
      const double there = base + next[j] - column_price_[j];
      if (there < distance_[j]) {
        distance_[j] = there;
        previous_[j] = through;
      }
    }
  }
  const double reached = distance_[last];
  row_price_[row] += reached;
  for (std::size_t k = 0; k < done; ++k) {
    const std::int32_t j = order_[k];
    const double surplus = reached - distance_[j];
    column_price_[j] -= surplus;
    row_price_[row_of_column_[j]] += surplus;
  }
  for (auto column = static_cast<std::int32_t>(last);;) {
    const std::int32_t to = previous_[column];
    row_of_column_[column] = to;
    std::swap(column, column_of_row_[to]);
    if (to == static_cast<std::int32_t>(row)) break;
  }
}

}  // namespace topowise
