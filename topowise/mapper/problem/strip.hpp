// SPDX-License-Identifier: BSD-3-Clause
// A product seen by groups that keep all axes but two whole: what is left to divide is a strip of cells.
#pragma once

#include <cstddef>
#include <vector>

#include <topowise/mapper/problem/product.hpp>

namespace topowise {

/// A cell is a column, its number along `across`, and a row, its number along `along`. It stands for all ranks that
/// differ in the other axes only.
struct Strip {
  ProductAxis across;
  ProductAxis along;
  std::vector<ProductAxis> whole;   ///< the other axes
  std::size_t ranks_of_a_cell = 1;  ///< product of their sizes
  std::size_t cells = 1;            ///< of a group
  double hold = 0;                  ///< bytes that parting the ranks of a cell cuts, at least; 0 if a cell has one rank

  [[nodiscard]] std::size_t columns() const { return across.size; }
  [[nodiscard]] std::size_t rows() const { return along.size; }
  /// Bytes between all cells.
  [[nodiscard]] double bytes() const;
};

/// All ways to see a product as a strip for groups of `group` ranks: a group has fewer cells than there are rows, and
/// fewer than there are columns if these go round a cycle; something is sent along each axis.
[[nodiscard]] std::vector<Strip> strips_of(const Product& product, std::size_t group);

}  // namespace topowise
