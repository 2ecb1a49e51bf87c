// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <topowise/mapper/exchange/padded_rows.hpp>

namespace topowise {

/// A number for every two facilities i < j, of which i is a rank: half the memory of a table, so that what every step
/// goes through stays in the nearest cache. Columns of the table are taken by the block; of the entries above the
/// diagonal in such a block, rows make tiles as high as they are wide, and what belongs to a tile's columns stays in
/// registers. The last facilities, which do not fill a block, are rows instead, from the first column to their own
/// diagonal. What else is in these tiles is infinite and remains so.
template <class Number>
class PairTiles {
 public:
  static constexpr std::size_t kSide = kLanes<Number>;
  struct Tile {
    Number* numbers = nullptr;
    std::size_t pitch = kSide;  ///< from row to row
    std::size_t rows = kSide;
    std::size_t row = 0;     ///< the facility of the first
    std::size_t column = 0;  ///< the facility of the first of kSide
  };

  PairTiles(std::size_t ranks, std::size_t facilities) : blocks_end_(facilities / kSide * kSide) {
    constexpr Number kInfinite = std::numeric_limits<Number>::infinity();
    std::size_t blocks = 0;
    for (std::size_t column = 0; column < blocks_end_; column += kSide) {
      first_row_.push_back(blocks);
      for (std::size_t row = 0; row < std::min(ranks, column + kSide); row += kSide) {
        tiles_.push_back({.row = row, .column = column});
        blocks += kSide;
      }
    }
    numbers_ = PaddedRows<Number>(blocks, kSide, kInfinite);
    for (std::size_t k = 0; k < tiles_.size(); ++k) tiles_[k].numbers = numbers_[k * kSide];
    last_rows_ = PaddedRows<Number>(facilities - blocks_end_, facilities, kInfinite);
    for (std::size_t column = 0; facilities > blocks_end_ && column < facilities; column += kSide)
      tiles_.push_back({last_rows_[0] + column, last_rows_.stride(), facilities - blocks_end_, blocks_end_, column});
  }
  PairTiles(const PairTiles&) = delete;  // tiles_ points into what it owns
  PairTiles& operator=(const PairTiles&) = delete;

  [[nodiscard]] std::span<const Tile> tiles() const { return tiles_; }
  /// The first facility that is a row.
  [[nodiscard]] std::size_t blocks_end() const { return blocks_end_; }
  /// Of an facility in a block the entry with facility 0; that with facility i < j is kSide * i further, and of the
  /// same i and the other j of the block they lie side by side.
  [[nodiscard]] Number* column(std::size_t j) { return numbers_[first_row_[j / kSide]] + j % kSide; }
  [[nodiscard]] const Number* column(std::size_t j) const { return numbers_[first_row_[j / kSide]] + j % kSide; }
  /// Of an facility in no block, the entries with all facilities before it.
  [[nodiscard]] Number* row(std::size_t j) { return last_rows_[j - blocks_end_]; }
  [[nodiscard]] const Number* row(std::size_t j) const { return last_rows_[j - blocks_end_]; }

  [[nodiscard]] Number& at(std::size_t i, std::size_t j) { return j < blocks_end_ ? column(j)[kSide * i] : row(j)[i]; }
  [[nodiscard]] Number at(std::size_t i, std::size_t j) const {
    return j < blocks_end_ ? column(j)[kSide * i] : row(j)[i];
  }

 private:
  std::size_t blocks_end_;
  std::vector<Tile> tiles_;
  std::vector<std::size_t> first_row_;  ///< of each block of columns, in numbers_
  PaddedRows<Number> numbers_;          ///< one block a row
  PaddedRows<Number> last_rows_;
};

}  // namespace topowise
