// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/mapper/bound/assignment.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace topowise {

double Assignment::reduce(double* matrix, std::size_t rows, std::size_t columns, double enough) {
  rows_ = rows;
  columns_ = columns;
  start(matrix);
  bid_for_columns(matrix);
  double so_far = total_of_prices();
  for (std::size_t row = 0; row < rows && so_far < enough; ++row) {
    if (column_of_row_[row] < 0) so_far += augment(matrix, row);
  }
  if (so_far >= enough) return so_far;
  for (std::size_t i = 0; i < rows; ++i) {
    double* entries = matrix + i * columns;
    for (std::size_t j = 0; j < columns; ++j) entries[j] -= row_price_[i] + column_price_[j];
  }
  return total_of_prices();
}

double Assignment::total_of_prices() const {
  double total = 0;
  for (const double price : row_price_) total += price;
  for (const double price : column_price_) total += price;
  return total;
}

/// Augmenting row reduction: a free row takes its cheapest column, even from another row, and lowers that column's
/// price until its second choice is as good. The other row bids next.
void Assignment::bid_for_columns(const double* matrix) {
  std::size_t bids_left = 2 * rows_;  // rounding must not let two rows bid against each other for ever
  for (std::size_t row = 0; row < rows_; ++row) {
    std::int32_t bidder = column_of_row_[row] < 0 ? static_cast<std::int32_t>(row) : -1;
    while (bidder >= 0 && bids_left > 0) {
      --bids_left;
      const double* entries = matrix + static_cast<std::size_t>(bidder) * columns_;
      double least = std::numeric_limits<double>::infinity();
      double second = least;
      std::size_t cheapest = 0;
      for (std::size_t j = 0; j < columns_; ++j) {
        const double cost = entries[j] - column_price_[j];
        second = std::min(second, std::max(least, cost));
        cheapest = cost < least ? j : cheapest;
        least = std::min(least, cost);
      }
      const bool cheaper = least < second && columns_ > 1;
      if (cheaper) {
        column_price_[cheapest] -= second - least;
      } else {
        // At a tie it takes any free column among the cheapest, so that no other row is outbid.
        for (std::size_t j = cheapest; j < columns_ && row_of_column_[cheapest] >= 0; ++j) {
          if (row_of_column_[j] < 0 && entries[j] - column_price_[j] == least) cheapest = j;
        }
        if (row_of_column_[cheapest] >= 0) break;  // left to augment()
      }
      row_price_[bidder] = columns_ > 1 ? second : least;
      const std::int32_t outbid = row_of_column_[cheapest];
      row_of_column_[cheapest] = bidder;
      column_of_row_[bidder] = static_cast<std::int32_t>(cheapest);
      if (outbid >= 0) column_of_row_[outbid] = -1;
      bidder = cheaper ? outbid : -1;
    }
  }
}

/// Derives prices from the smallest entries, and makes the assignments that these prices allow at once.
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

/// Runs Dijkstra's algorithm over reduced entries, from a free row to the nearest free column, then updates prices and
/// assignment. Returns by how much the total of all prices grew.
double Assignment::augment(const double* matrix, std::size_t row) {
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
    if (to == static_cast<std::int32_t>(row)) return reached;
  }
}

}  // namespace topowise
